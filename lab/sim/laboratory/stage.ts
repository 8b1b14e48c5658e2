import { createHash } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { oldEntrypoint } from '../../scenarios/faults/old-entrypoint.ts';
import { profiles } from '../../scenarios/profiles.ts';
import type { Stage } from '../../scenarios/play.ts';
import type { SimCluster } from '../cluster-of-world.ts';
import type { NodeImage } from '../node/image.ts';
import { createWorld, type SimWorld } from '../world.ts';
import { openSimLaboratory } from './laboratory.ts';
import { makeVisitor, type SimVisitor } from './visitor.ts';

export interface SimStage extends Stage {
  readonly world: SimWorld;
  readonly visitor: SimVisitor;
  readonly simCluster: SimCluster;
  close(): Promise<void>;
}

export interface SimStageOptions {
  readonly seed: number;
  /** Key of profiles.ts. */
  readonly profile: string;
  readonly entrypoint: 'current' | 'old';
  /** `idp-mvp` by default. */
  readonly name?: string;
  /** When its time begins; a fixed moment by default. */
  readonly start?: Date;
  /** What differs from the current node image. */
  readonly image?: Partial<NodeImage>;
  /** As of a world. */
  readonly folder?: string;
}

/** A well cluster in a world of its own, with a user's belongings in it and the product beside it. */
export async function setSimStage(options: SimStageOptions): Promise<SimStage> {
  const { seed, profile, entrypoint, name = 'idp-mvp', start = yesterdayMorning(), image = {}, folder } = options;
  const counts = profiles[profile];
  if (counts === undefined) throw new Error(`there is no profile ${profile}`);
  const world = await createWorld({ seed, start, ...(folder === undefined ? {} : { folder }) });
  const simCluster = await world.createCluster(name, counts, image);
  placeBelongings(simCluster);
  const cluster = { lab: openSimLaboratory(world), name };
  const visitor = makeVisitor({
    clock: world.clock.asClock,
    random: world.random,
    home: join(world.folder, 'home'),
    dockerHost: () => world.dockerHost(),
  });
  await mkdir(dirname(visitor.kubeconfig), { recursive: true });
  await writeFile(visitor.kubeconfig, simCluster.kubeconfig(), { mode: 0o600 });
  if (entrypoint === 'old') await world.driver.run(oldEntrypoint.stage(cluster, undefined), 60_000);
  return {
    world,
    simCluster,
    cluster,
    visitor,
    recordBelongings: () => Promise.resolve(recordBelongings(simCluster)),
    close: () => world.close(),
  };
}

/**
 * Node.js checks certificates by the real clock, so the world's are made not long before now; the time of day is always
 * the same one.
 */
function yesterdayMorning(): Date {
  const day = 24 * 3_600_000;
  return new Date(Math.floor(Date.now() / day) * day - day + 9 * 3_600_000);
}

const userNamespace = 'shop';
const dataFolder = '/var/local-path-provisioner/pvc-orders';

/** What somebody has in a cluster: objects of several kinds, and bytes of a volume on a node's disk. */
function placeBelongings({ store, guests }: SimCluster): void {
  const metadata = (name: string) => ({ name, namespace: userNamespace });
  store.create('namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: userNamespace } });
  store.create('configmaps', { apiVersion: 'v1', kind: 'ConfigMap', metadata: metadata('prices'), data: { tea: '3' } });
  store.create('secrets', { apiVersion: 'v1', kind: 'Secret', metadata: metadata('bank'), data: { pin: 'MTIzNA==' } });
  store.create('persistentvolumeclaims', {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: metadata('orders'),
    spec: { volumeName: 'pvc-orders' },
    status: { phase: 'Bound' },
  });
  const last = [...guests.values()].at(-1);
  last?.files.write(`${dataFolder}/orders.db`, 'forty-two orders\n', { mode: 0o640, uid: 999, gid: 999 });
}

/** The user's objects, and every file that no repair and no boot has a business with. */
function recordBelongings({ store, guests }: SimCluster): unknown {
  const objects = ['namespaces', 'configmaps', 'secrets', 'persistentvolumeclaims'].flatMap((resource) =>
    store.list(resource, resource === 'namespaces' ? undefined : userNamespace),
  );
  const files = [...guests].flatMap(([name, guest]) =>
    [
      '/var/local-path-provisioner',
      '/etc/kubernetes/pki/ca.key',
      '/etc/kubernetes/pki/etcd/ca.key',
      '/etc/kubernetes/pki/sa.key',
    ]
      .flatMap((path) => guest.files.walk(path))
      .filter(({ entry }) => entry.type === 'file')
      .map(({ path, entry: { mode, uid, gid, contents } }) => [
        `${name}:${path}`,
        `${mode.toString(8)} ${uid}:${gid} ${createHash('sha256').update(contents).digest('hex')}`,
      ]),
  );
  return { objects, files };
}
