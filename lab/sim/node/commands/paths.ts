export function parentOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/'));
}

export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** The mount a path lies on: kind gives a node's /var a volume, and memory to /tmp and /run. */
export function fileSystemOf(path: string): string {
  return /^\/(var|tmp|run)(?=\/|$)/.exec(path)?.[0] ?? '/';
}

/** The files that Docker mounts over a container's own: they can be written, not replaced or removed. */
export function isMountedFile(path: string): boolean {
  return ['/etc/hosts', '/etc/hostname', '/etc/resolv.conf'].includes(path);
}
