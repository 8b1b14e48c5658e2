import { type Cluster, helperLabel } from '../cluster.ts';

/**
 * Starts a container that does nothing but hold an address of kind's network: the lowest free one, which on most
 * engines is the one that was freed last. Made from the node image, since that is always there.
 */
export async function startSquatter(cluster: Cluster, purpose: string): Promise<string> {
  const name = `lab-squatter-${purpose}`;
  await cluster.lab.attempt(['docker', 'rm', '--force', '--volumes', name]);
  await cluster.lab.run(
    [
      'docker',
      'run',
      '--detach',
      '--name',
      name,
      '--label',
      `${helperLabel}=${cluster.name}`,
      '--network',
      'kind',
    ].concat(['--entrypoint', 'sleep', cluster.lab.nodeImage, 'infinity']),
  );
  return name;
}

/** Starts squatters until one of them holds the given address, which must be free. Answers their names. */
export async function occupyAddress(cluster: Cluster, purpose: string, address: string): Promise<string[]> {
  const names: string[] = [];
  for (let turn = 1; turn <= 16; turn += 1) {
    const name = await startSquatter(cluster, `${purpose}-${turn}`);
    names.push(name);
    const format = '{{.NetworkSettings.Networks.kind.IPAddress}}';
    if ((await cluster.lab.run(['docker', 'inspect', '--format', format, name])).trim() === address) {
      return names;
    }
  }
  throw new Error(`16 containers were started and none got ${address}`);
}

export async function removeSquatter(cluster: Cluster, name: string): Promise<void> {
  await cluster.lab.run(['docker', 'rm', '--force', '--volumes', name]);
}
