import type { KubeObject, ObjectStore } from '../contracts.ts';

export type Labels = Readonly<Record<string, string>>;

/** Changes an object where it exists; answers what is stored then. */
export function modifyObject(
  store: ObjectStore,
  resource: string,
  namespace: string | undefined,
  name: string,
  change: (object: KubeObject) => KubeObject,
): KubeObject | undefined {
  const old = store.get(resource, namespace, name);
  return old === undefined ? undefined : store.update(resource, change(old));
}

/** Makes an object unless there is one; answers what is stored then. */
export function ensureObject(store: ObjectStore, resource: string, object: KubeObject): KubeObject {
  const { namespace, name } = object.metadata;
  return store.get(resource, namespace, name) ?? store.create(resource, object);
}

export function withLabels(object: KubeObject, labels: Labels): KubeObject {
  return { ...object, metadata: { ...object.metadata, labels: { ...object.metadata.labels, ...labels } } };
}

export interface Taint {
  readonly key: string;
  readonly effect: string;
  readonly value?: string;
  readonly timeAdded?: string;
}

export interface Toleration {
  readonly key?: string;
  readonly operator?: string;
  readonly value?: string;
  readonly effect?: string;
  readonly tolerationSeconds?: number;
}

export interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
  readonly lastTransitionTime?: string | null;
  /** Of nodes. */
  readonly lastHeartbeatTime?: string;
  readonly [key: string]: unknown;
}

export interface NodeSpec {
  readonly taints?: readonly Taint[];
  readonly unschedulable?: boolean;
  readonly podCIDR?: string;
  readonly [key: string]: unknown;
}

export interface PodSpec {
  readonly nodeName?: string;
  readonly hostNetwork?: boolean;
  readonly nodeSelector?: Labels;
  readonly tolerations?: readonly Toleration[];
  readonly containers: readonly {
    readonly name: string;
    readonly image: string;
    readonly startupProbe?: {
      readonly failureThreshold?: number;
      readonly periodSeconds?: number;
      readonly initialDelaySeconds?: number;
    };
    readonly ports?: readonly { readonly hostPort?: number }[];
    readonly [key: string]: unknown;
  }[];
  readonly volumes?: readonly { readonly persistentVolumeClaim?: { readonly claimName: string } }[];
  readonly affinity?: unknown;
  readonly [key: string]: unknown;
}

export interface PodStatus {
  readonly phase?: string;
  readonly conditions?: readonly Condition[];
  readonly podIP?: string;
  readonly startTime?: string;
  readonly containerStatuses?: readonly { readonly restartCount?: number; readonly [key: string]: unknown }[];
  readonly [key: string]: unknown;
}

export function specOf(pod: KubeObject): PodSpec {
  return pod.spec as PodSpec;
}

export function statusOf(pod: KubeObject): PodStatus {
  return (pod.status ?? {}) as PodStatus;
}

export function conditionsOf(object: KubeObject): readonly Condition[] {
  return (object.status as { readonly conditions?: readonly Condition[] } | undefined)?.conditions ?? [];
}

export function isReady(object: KubeObject): boolean {
  return conditionsOf(object).some(({ type, status }) => type === 'Ready' && status === 'True');
}

export function uidOf(object: KubeObject): string {
  return object.metadata.uid ?? '';
}

export function controllerOf(object: KubeObject): string | undefined {
  return object.metadata.ownerReferences?.find(({ controller }) => controller === true)?.uid;
}

export function isMirror(pod: KubeObject): boolean {
  return pod.metadata.annotations?.['kubernetes.io/config.mirror'] !== undefined;
}

export function tolerates(tolerations: readonly Toleration[], taint: Taint): Toleration | undefined {
  return tolerations.find(
    ({ key, operator, value, effect }) =>
      (key === undefined || key === taint.key) &&
      (effect === undefined || effect === taint.effect) &&
      (operator === 'Exists' || (value ?? '') === (taint.value ?? '')),
  );
}

/** Replaces the condition of that type; its transition time moves only with its status. */
export function setCondition(conditions: readonly Condition[], next: Condition): Condition[] {
  const old = conditions.find(({ type }) => type === next.type);
  const kept =
    old?.status === next.status ? (old.lastTransitionTime ?? next.lastTransitionTime) : next.lastTransitionTime;
  const condition = { ...next, ...(kept === undefined ? {} : { lastTransitionTime: kept }) };
  if (old === undefined) return [...conditions, condition];
  return conditions.map((entry) => (entry === old ? condition : entry));
}

export function groupBy<T>(items: readonly T[], keyOf: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const group = groups.get(keyOf(item));
    if (group === undefined) groups.set(keyOf(item), [item]);
    else group.push(item);
  }
  return groups;
}
