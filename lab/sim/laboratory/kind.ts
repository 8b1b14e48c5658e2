import { parse } from 'yaml';
import * as z from 'zod';
import { fail, type Program, readArguments, say, UsageError } from './program.ts';

const configuration = z.object({ nodes: z.array(z.object({ role: z.enum(['control-plane', 'worker']) })).min(1) });

export interface KindHost {
  create(name: string, counts: { readonly controlPlanes: number; readonly workers: number }): Promise<void>;
  delete(name: string): Promise<void>;
  /** undefined where there is no such cluster. */
  kubeconfig(name: string): string | undefined;
  list(): readonly string[];
}

/** The `kind` command, as far as faults and scenarios use it. */
export function makeKindProgram(host: KindHost): Program {
  return async (argv, { stdin = '' }) => {
    const { flags, rest } = readArguments(argv, {
      '--name': 'value',
      '--image': 'value',
      '--config': 'value',
      '--wait': 'value',
    });
    const name = flags['--name'] ?? 'kind';
    switch (rest.join(' ')) {
      case 'create cluster': {
        const { nodes } = configuration.parse(parse(stdin));
        const count = (role: string) => nodes.filter((node) => node.role === role).length;
        await host.create(name, { controlPlanes: count('control-plane'), workers: count('worker') });
        return say('');
      }
      case 'delete cluster':
        await host.delete(name);
        return say('');
      case 'get kubeconfig': {
        const text = host.kubeconfig(name);
        return text === undefined
          ? fail(1, `ERROR: could not locate any control plane nodes for cluster named '${name}'`)
          : say(text);
      }
      case 'get clusters':
        return say(
          host
            .list()
            .map((one) => `${one}\n`)
            .join(''),
        );
      default:
        throw new UsageError(`the simulated kind does not know how to ${argv.join(' ')}`);
    }
  };
}
