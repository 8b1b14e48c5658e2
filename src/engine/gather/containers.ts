import pLimit from 'p-limit';
import type { ContainerDetails, Engine } from '../../docker/port.ts';
import type { ContainerFacts, NetworkFacts, Role } from '../../facts/containers.ts';
import { type Observed, seen, unseen } from '../../facts/observed.ts';
import { compareText } from '../../facts/select.ts';
import { clusterLabel, roleLabel } from '../world.ts';

export const apiContainerPort = 6443;

/** The cluster's containers as the engine tells them; one that vanishes between list and inspect is left out. */
export async function gatherContainers(
  engine: Engine,
  cluster: string,
  networkName: string,
): Promise<Observed<ContainerFacts[]>> {
  try {
    const summaries = await engine.listContainers({ [clusterLabel]: cluster });
    const limit = pLimit(16);
    const details = await Promise.allSettled(summaries.map(({ id }) => limit(() => engine.inspectContainer(id))));
    return seen(
      details
        .flatMap((result) => (result.status === 'fulfilled' ? toContainerFacts(result.value, networkName) : []))
        .sort((left, right) => compareText(left.name, right.name)),
    );
  } catch (error) {
    return unseen(messageOf(error));
  }
}

function toContainerFacts(details: ContainerDetails, networkName: string): ContainerFacts[] {
  const role = details.labels[roleLabel];
  if (role !== 'control-plane' && role !== 'worker' && role !== 'external-load-balancer') return [];
  const network = details.networks[networkName] ?? Object.values(details.networks)[0];
  const published = details.ports.find(
    ({ containerPort, protocol }) => containerPort === apiContainerPort && protocol === 'tcp',
  );
  return [
    {
      name: details.name,
      role: role satisfies Role,
      image: details.image,
      state: details.state,
      running: details.running,
      exitCode: details.exitCode,
      error: details.error,
      startedAt: details.startedAt,
      finishedAt: details.finishedAt,
      restartPolicy: details.restartPolicy,
      ipv4: network?.ipv4 ?? '',
      ipv6: network?.ipv6 ?? '',
      apiPort: published === undefined ? null : { hostIp: published.hostIp, hostPort: published.hostPort },
    },
  ];
}

export async function gatherNetwork(engine: Engine, networkName: string): Promise<Observed<NetworkFacts>> {
  try {
    const { name, subnets, members } = await engine.inspectNetwork(networkName);
    return seen({ name, subnets, members });
  } catch (error) {
    return unseen(messageOf(error));
  }
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
