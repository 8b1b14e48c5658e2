import { type Connection, readConnection } from '../connection.ts';
import { dialApi } from '../dial.ts';
import { makeIdentity, pickBetween } from '../identifiers.ts';
import { readFlag } from '../manifest.ts';
import { modifyObject } from '../objects.ts';
import type { Program } from '../runtime.ts';
import { createScope, type Scope } from '../scope.ts';
import { formatKlog, quote, toMicroTime } from '../words.ts';
import type { ClusterWorld } from '../world.ts';

/** Work that only one process of the cluster does, while it holds its lease. */
export interface LeaderSession {
  readonly scope: Scope;
  /** Whether its requests are answered. */
  readonly connected: () => boolean;
}

const leaseSeconds = 15;
const renewDeadlineMs = 10_000;
const retryMs = 2_000;
const startPatienceMs = 10_000;
/** A request to an API server whose etcd is lost gets no answer. */
const unanswered = 'context deadline exceeded';

/** kube-controller-manager and kube-scheduler: the same life, another work. */
export function leaderProgram(
  world: ClusterWorld,
  command: readonly string[],
  name: 'kube-controller-manager' | 'kube-scheduler',
  work: (session: LeaderSession) => void,
): Program {
  return (host) => {
    const { clock, random } = world.context;
    const { machine, scope } = host;
    const path = readFlag(command, 'kubeconfig') ?? '';
    const log = (level: 'I' | 'W' | 'E' | 'F', place: string, text: string) =>
      host.log(formatKlog(level, clock.now(), 1, place, text));
    const config = readConnection(machine.files, path);
    const identity = `${machine.name}_${makeIdentity(random)}`;
    let healthy = false;
    let leading: Scope | undefined;
    let lastAnswered = clock.now();

    if (config.ok) {
      const begun = clock.now();
      scope.schedule(pickBetween(random, 600, 1_200), () => begin(config.value, begun));
    } else {
      log('E', 'run.go:72', `"command failed" err=${quote(config.reason)}`);
      host.exit(1);
    }

    function ask(connection: Connection): string | undefined {
      const dialled = dialApi(world, machine, connection);
      if (!dialled.ok) return dialled.message;
      return dialled.server.etcd === 'ok' ? undefined : unanswered;
    }

    function begin(connection: Connection, since: number): void {
      const failure = ask(connection);
      if (failure === undefined) {
        healthy = true;
        log('I', 'leaderelection.go:257', `attempting to acquire leader lease kube-system/${name}...`);
        acquire(connection, undefined);
        return;
      }
      logFailure(connection, failure);
      if (clock.now() - since >= startPatienceMs) {
        const reason = `failed to wait for apiserver being healthy: timed out waiting for the condition: failed to get apiserver /healthz status: Get "${connection.server}/healthz": ${failure}`;
        log('E', 'run.go:72', `"command failed" err=${quote(reason)}`);
        host.exit(1);
        return;
      }
      scope.schedule(1_000, () => begin(connection, since));
    }

    /** The lease of another holder has to stay unchanged for its whole length while this process looks on. */
    function acquire(
      connection: Connection,
      seen: { readonly version: string; readonly at: number } | undefined,
    ): void {
      const failure = ask(connection);
      let next = seen;
      if (failure === undefined) {
        const lease = world.store.get('leases.coordination.k8s.io', 'kube-system', name);
        const { holderIdentity } = (lease?.spec ?? {}) as { readonly holderIdentity?: string };
        const version = lease?.metadata.resourceVersion ?? '';
        if (next?.version !== version) next = { version, at: clock.now() };
        const isFree = (holderIdentity ?? '') === '' || clock.now() - next.at >= leaseSeconds * 1000;
        if (isFree) {
          writeLease(true);
          log('I', 'leaderelection.go:271', `successfully acquired lease kube-system/${name}`);
          lastAnswered = clock.now();
          leading = createScope(clock);
          work({ scope: leading, connected: () => clock.now() - lastAnswered <= retryMs });
          scope.schedule(retryMs, () => renew(connection));
          return;
        }
      } else logFailure(connection, failure);
      scope.schedule(retryMs * pickBetween(random, 1, 1.2), () => acquire(connection, next));
    }

    function renew(connection: Connection): void {
      const failure = ask(connection);
      if (failure === undefined) {
        lastAnswered = clock.now();
        const lease = world.store.get('leases.coordination.k8s.io', 'kube-system', name);
        if ((lease?.spec as { readonly holderIdentity?: string } | undefined)?.holderIdentity === identity) {
          writeLease(false);
          scope.schedule(retryMs, () => renew(connection));
          return;
        }
      } else {
        logFailure(connection, failure);
        if (clock.now() - lastAnswered < renewDeadlineMs) {
          scope.schedule(retryMs, () => renew(connection));
          return;
        }
      }
      log('I', 'leaderelection.go:297', `failed to renew lease kube-system/${name}: ${unanswered}`);
      log('E', name === 'kube-scheduler' ? 'server.go:307' : 'controllermanager.go:340', '"leaderelection lost"');
      host.exit(1);
    }

    function writeLease(isNew: boolean): void {
      const renewTime = toMicroTime(clock.now());
      const fresh = { holderIdentity: identity, leaseDurationSeconds: leaseSeconds, renewTime };
      const written = modifyObject(world.store, 'leases.coordination.k8s.io', 'kube-system', name, (lease) => {
        const old = (lease.spec ?? {}) as { readonly leaseTransitions?: number };
        const gain = isNew ? { acquireTime: renewTime, leaseTransitions: (old.leaseTransitions ?? 0) + 1 } : {};
        return { ...lease, spec: { ...old, ...fresh, ...gain } };
      });
      if (written !== undefined) return;
      world.store.create('leases.coordination.k8s.io', {
        apiVersion: 'coordination.k8s.io/v1',
        kind: 'Lease',
        metadata: { name, namespace: 'kube-system' },
        spec: { ...fresh, acquireTime: renewTime, leaseTransitions: 0 },
      });
    }

    function logFailure({ server }: Connection, failure: string): void {
      const url = `${server}/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/${name}?timeout=5s`;
      const reason = `Get "${url}": ${failure}`;
      const text = `"Error retrieving lease lock" err=${quote(reason)} lock=${quote(`kube-system/${name}`)}`;
      log('E', 'leaderelection.go:436', text);
    }

    return {
      started: () => healthy,
      live: () => true,
      ready: () => healthy,
      stopMs: 200,
      ended: () => leading?.end(),
    };
  };
}
