import type { KubeObject } from '../contracts.ts';
import type { ProgramHost, RunningProgram } from './runtime.ts';
import type { ClusterWorld } from './world.ts';

/** What the program of a pod needs to know of its surroundings. */
export interface PodHost extends ProgramHost {
  readonly world: ClusterWorld;
  readonly pod: KubeObject;
}

/** How the program of an image lives. */
export type Behaviour = (host: PodHost) => RunningProgram;

/** A server that is ready after a while. */
export function serveAfter(host: PodHost, delayMs: number): RunningProgram {
  let ready = false;
  host.scope.schedule(delayMs, () => {
    ready = true;
    host.changed();
  });
  return { started: () => ready, live: () => true, ready: () => ready, stopMs: 300 };
}

/** A program that ends by itself. */
export function failAfter(host: PodHost, delayMs: number, lines: readonly string[], code = 1): RunningProgram {
  host.scope.schedule(delayMs, () => {
    for (const line of lines) host.log(line);
    host.exit(code);
  });
  return { started: () => false, live: () => true, ready: () => false, stopMs: 100 };
}

/** `registry.k8s.io/kube-proxy:v1.34.4` → `kube-proxy`. */
export function baseName(image: string): string {
  return (image.split('/').at(-1) ?? image).replace(/[:@].*$/, '');
}
