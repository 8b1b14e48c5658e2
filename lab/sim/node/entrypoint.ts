import type { FileSystem } from '../files.ts';
import { dockerDns } from './files/docker.ts';
import { entrypointPath, readRewrittenFiles } from './files/entrypoint-text.ts';
import { planCertificatePhase } from './pki/kubeadm-certs.ts';

export interface BootSituation {
  readonly hostname: string;
  /** What `getent` answers for the node's own name; empty where it has no such address. */
  readonly ipv4: string;
  readonly ipv6: string;
  readonly gateway: string;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

const apiserver = '/etc/kubernetes/pki/apiserver';

/**
 * The boot of a node as its entrypoint does it, one act after the other. The name of each act is given once it is done:
 * whoever stops asking is the crash. Answers the exit code where the entrypoint gives up, else undefined.
 */
export function* bootNode(files: FileSystem, situation: BootSituation): Generator<string, number | undefined> {
  const rewritten = readRewrittenFiles(files.readText(entrypointPath) ?? '');
  if (rewritten === undefined) return 127;
  yield* pointResolver(files, situation.gateway);
  let addressChanged = false;
  for (const family of [4, 6] as const) {
    const recordPath = `/kind/old-ipv${family}`;
    const current = family === 4 ? situation.ipv4 : situation.ipv6;
    const old = files.readText(recordPath)?.replace(/\n+$/, '');
    if (old !== undefined && current === '' && family === 4) return 1;
    if (old !== undefined && current !== '' && old !== current) {
      addressChanged = true;
      yield* rewriteFiles(files, rewritten, old, current);
    }
    if (current !== '') {
      files.write(recordPath, current);
      yield `store ${recordPath}`;
    }
  }
  return addressChanged ? yield* remakeCertificate(files, situation) : undefined;
}

/** Runs the boot up to that many acts; answers the acts done and, where the boot came to its end, how. */
export function bootUntil(
  files: FileSystem,
  situation: BootSituation,
  acts = Number.POSITIVE_INFINITY,
): { readonly acts: readonly string[]; readonly finished: boolean; readonly exitCode: number | undefined } {
  const boot = bootNode(files, situation);
  const done: string[] = [];
  while (done.length < acts) {
    const next = boot.next();
    if (next.done === true) return { acts: done, finished: true, exitCode: next.value };
    done.push(next.value);
  }
  return { acts: done, finished: false, exitCode: undefined };
}

/** Docker's name server answers at the gateway's address from now on, so that pods can ask it as well. */
function* pointResolver(files: FileSystem, gateway: string): Generator<string, void> {
  const text = files.readText('/etc/resolv.conf');
  if (text === undefined) return;
  files.write('/etc/resolv.conf.original', text);
  yield 'keep /etc/resolv.conf.original';
  files.write('/etc/resolv.conf', text.replaceAll(dockerDns, gateway));
  yield 'rewrite /etc/resolv.conf';
}

function* rewriteFiles(
  files: FileSystem,
  paths: readonly string[],
  old: string,
  current: string,
): Generator<string, void> {
  const pattern = new RegExp(String.raw`\b${old.replace(/[.[\]]/g, String.raw`\$&`)}\b`, 'g');
  for (const path of paths) {
    const text = files.readText(path);
    if (text === undefined) continue;
    files.write(path, text.replaceAll(pattern, current));
    yield `rewrite ${path}`;
  }
}

/** Nothing is done where one of the two files is missing already: the boot takes the node for a worker. */
function* remakeCertificate(
  files: FileSystem,
  { hostname, now }: BootSituation,
): Generator<string, number | undefined> {
  const paths = [`${apiserver}.crt`, `${apiserver}.key`];
  if (paths.some((path) => files.read(path) === undefined)) return undefined;
  for (const path of paths) {
    files.remove(path);
    yield `remove ${path}`;
  }
  const outcome = planCertificatePhase(files, {
    phase: 'apiserver',
    config: '/kind/kubeadm.conf',
    hostname,
    now: now(),
  });
  if (!outcome.ok) return 1;
  for (const { path, text, mode } of outcome.writes) {
    files.write(path, text, { mode });
    yield `make ${path}`;
  }
  return undefined;
}

/** Whether this boot will give up, as far as that can be told from the files beforehand. */
export function willGiveUp(files: FileSystem, { ipv4 }: BootSituation): boolean {
  if (readRewrittenFiles(files.readText(entrypointPath) ?? '') === undefined) return true;
  const old = files.readText('/kind/old-ipv4');
  if (old === undefined) return false;
  if (ipv4 === '') return true;
  const isControlPlane = files.read(`${apiserver}.crt`) !== undefined && files.read(`${apiserver}.key`) !== undefined;
  const needed = ['/etc/kubernetes/pki/ca.crt', '/etc/kubernetes/pki/ca.key', '/kind/kubeadm.conf'];
  return old.trimEnd() !== ipv4 && isControlPlane && needed.some((path) => files.read(path) === undefined);
}
