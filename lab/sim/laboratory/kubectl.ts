import { handleApiRequest } from '../api/handler.ts';
import type { ApiServerState } from '../contracts.ts';
import type { SimClock } from '../clock.ts';
import { fail, type Program, readArguments, say, UsageError } from './program.ts';

const collections: Readonly<Record<string, { readonly prefix: string; readonly namespaced: boolean }>> = {
  nodes: { prefix: '/api/v1', namespaced: false },
  pods: { prefix: '/api/v1', namespaced: true },
  leases: { prefix: '/apis/coordination.k8s.io/v1', namespaced: true },
};
const aliases: Readonly<Record<string, string>> = { pod: 'pods', node: 'nodes', lease: 'leases' };

interface KubectlHost {
  readonly clock: SimClock;
  /** Who answers on the published port of a cluster. */
  readonly answering: (cluster: string) => ApiServerState | undefined;
}

/** The `kubectl` command with the lab's own kubeconfig, as far as faults and scenarios use it. */
export function makeKubectlProgram(host: KubectlHost): Program {
  return async (argv) => {
    const { flags, rest } = readArguments(argv, {
      '--context': 'value',
      '--namespace': 'value',
      '--output': 'value',
      '--request-timeout': 'value',
      '--selector': 'value',
      '--wait': 'value',
      '--raw': 'value',
      '--kubeconfig': 'value',
    });
    const cluster = (flags['--context'] ?? '').replace(/^kind-/, '');
    const [verb = '', resource = ''] = rest;
    const ask = async (method: string, path: string) => {
      const server = host.answering(cluster);
      if (server === undefined) return fail(1, 'Unable to connect to the server: EOF');
      const limit = new AbortController();
      const cancel = host.clock.schedule(readSeconds(flags['--request-timeout']) * 1000, () =>
        limit.abort(new Error('Client.Timeout exceeded while awaiting headers')),
      );
      try {
        const answer = await handleApiRequest(
          server,
          { method, path, headers: {}, body: Buffer.alloc(0), signal: limit.signal },
          { clock: host.clock },
        );
        if (answer.kind === 'watch') throw new UsageError('the simulated kubectl does not watch');
        const text = answer.body.toString('utf8');
        return answer.status < 400 ? say(text) : fail(1, `Error from server: ${text}`);
      } catch (error) {
        if (!limit.signal.aborted) throw error;
        return fail(1, `Unable to connect to the server: ${(error as Error).message}`);
      } finally {
        cancel();
      }
    };
    if (verb === 'get' && flags['--raw'] !== undefined) return await ask('GET', flags['--raw']);
    const name = aliases[resource] ?? resource;
    const collection = collections[name];
    if (collection === undefined) throw new UsageError(`the simulated kubectl knows no resource ${resource}`);
    const namespace = collection.namespaced ? `/namespaces/${flags['--namespace'] ?? 'default'}` : '';
    const query = flags['--selector'] === undefined ? '' : `?labelSelector=${encodeURIComponent(flags['--selector'])}`;
    const path = `${collection.prefix}${namespace}/${name}${query}`;
    if (verb === 'get' && flags['--output'] === 'json') return await ask('GET', path);
    if (verb === 'delete' && query !== '') return await ask('DELETE', path);
    throw new UsageError(`the simulated kubectl does not know how to ${argv.join(' ')}`);
  };
}

function readSeconds(text = '30s'): number {
  const seconds = Number(text.replace(/s$/, ''));
  if (!Number.isFinite(seconds)) throw new UsageError(`the simulated kubectl takes no time such as ${text}`);
  return seconds;
}
