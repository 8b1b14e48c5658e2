import { CommandError, type CommandOptions, type Laboratory } from '../../scenarios/laboratory.ts';
import { createIdleGuest } from '../engine/idle-guest.ts';
import type { SimWorld } from '../world.ts';
import { makeDockerProgram } from './docker.ts';
import { makeKindProgram } from './kind.ts';
import { makeKubectlProgram } from './kubectl.ts';
import { type Program, UsageError } from './program.ts';

/** The simulated world with the programs that the lab's faults and scenarios run. Its time passes in `driver.run` only. */
export function openSimLaboratory(world: SimWorld): Laboratory {
  const { clock, docker } = world;
  const never = new AbortController().signal;
  const programs: Readonly<Record<string, Program>> = {
    docker: makeDockerProgram(docker, () => createIdleGuest(() => clock.now())),
    kubectl: makeKubectlProgram({ clock, answering: (name) => world.clusters.get(name)?.answering() }),
    kind: makeKindProgram({
      create: async (name, counts) => void (await world.createCluster(name, counts)),
      delete: (name) => world.deleteCluster(name),
      kubeconfig: (name) => world.clusters.get(name)?.kubeconfig(),
      list: () => [...world.clusters.keys()],
    }),
  };

  async function attempt(argv: readonly string[], options: CommandOptions = {}) {
    const [name = '', ...rest] = argv;
    const program = programs[name];
    if (program === undefined) throw new UsageError(`the simulated laboratory has no program ${name}`);
    return await program(rest, options);
  }

  return {
    home: world.folder,
    nodeImage: 'kindest/node:v1.34.4',
    clock: { now: () => clock.now(), sleep: (milliseconds) => clock.asClock.sleep(milliseconds, never) },
    attempt,
    async run(argv, options) {
      const result = await attempt(argv, options);
      if (result.exitCode !== 0) throw new CommandError(argv, result);
      return result.stdout;
    },
  };
}
