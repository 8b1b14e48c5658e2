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

export async function removeSquatter(cluster: Cluster, name: string): Promise<void> {
  await cluster.lab.run(['docker', 'rm', '--force', '--volumes', name]);
}
