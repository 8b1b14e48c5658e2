import { ApiFailure } from './api/answers.ts';
import { digList, digText } from './api/json.ts';
import type { ApiSurroundings } from './api/request.ts';
import type { KubeObject, NodeMachine, NodeProcesses } from './contracts.ts';

export interface PodLogsOptions {
  readonly machines: () => readonly NodeMachine[];
  readonly processesOf: (machine: NodeMachine) => NodeProcesses;
  /** As the API holds it. */
  readonly nodeNamed: (name: string) => KubeObject | undefined;
}

/** Logs as an API server gets them: from the kubelet, at the address that the Node object tells. */
export function makeLogReader(options: PodLogsOptions): NonNullable<ApiSurroundings['readLog']> {
  return (pod, { container, previous }) => {
    const { name, namespace = '', uid } = pod.metadata;
    const node = digText(pod.spec, 'nodeName');
    if (node === '') throw refuse(`pod ${name} does not have a host assigned`);
    const machine = options.machines().find((one) => one.name === node);
    if (machine === undefined || !machine.running()) return undefined;
    const told = digList(options.nodeNamed(node)?.status, 'addresses').find(
      (address) => digText(address, 'type') === 'InternalIP',
    );
    const processes = options.processesOf(machine);
    const isReached = machine.interfaces().some(({ ipv4 }) => ipv4 === digText(told, 'address'));
    const attempts = processes.containers();
    if (!isReached || processes.unit('kubelet').activeState !== 'active' || attempts === undefined) return undefined;
    // A mirror pod has a uid of its own; the static pod behind it has its name.
    const manifest = pod.metadata.annotations?.['kubernetes.io/config.mirror'];
    const own = attempts
      .filter((one) => one.podUid === (manifest ?? uid) && one.podNamespace === namespace && one.name === container)
      .toSorted((one, other) => one.attempt - other.attempt);
    const chosen = own.at(previous ? -2 : -1);
    if (chosen !== undefined) return chosen.log;
    throw refuse(
      previous
        ? `previous terminated container "${container}" in pod "${name}" not found`
        : `container "${container}" in pod "${name}" is waiting to start: ContainerCreating`,
    );
  };
}

function refuse(message: string): ApiFailure {
  return new ApiFailure(400, 'BadRequest', message);
}
