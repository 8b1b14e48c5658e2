import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { writeArchive } from '../docker/archive.ts';
import { type Engine, EngineError } from '../docker/port.ts';
import type { Facts } from '../facts/facts.ts';
import { nodesOf } from '../facts/select.ts';
import type { Plan } from '../repairs/step.ts';
import type { Run } from '../runs/journal.ts';
import type { ClusterAccess } from './gather/access.ts';
import { messageOf } from './gather/containers.ts';
import { temporaryPrefix } from './gather/node.ts';

export type SnapshotResult =
  | { readonly taken: true; readonly node: string; readonly path: string; readonly bytes: number }
  /** `forbids`: the plan changes how etcd runs, and must not be applied without a copy. */
  | { readonly taken: false; readonly reason: string; readonly forbids: boolean };

const pki = '/etc/kubernetes/pki/etcd';
const etcdManifest = '/etc/kubernetes/manifests/etcd.yaml';
const etcdFolder = '/var/lib/etcd';
const snapshotSeconds = 30;

/**
 * etcd's data as one consistent file, kept on this host. etcdctl is the one in etcd's own image, started from the
 * node through the process's root, so that neither an exec into the pod nor a place in it is needed. Where no etcd
 * answers and the plan changes how one is run, its folder is copied instead.
 */
export async function takeEtcdSnapshot(
  engine: Engine,
  facts: Facts,
  access: ClusterAccess,
  plan: Plan,
  run: Run,
  signal: AbortSignal,
): Promise<SnapshotResult> {
  const reasons: string[] = [];
  const controlPlanes = nodesOf(facts).filter(
    ({ container }) => container.role === 'control-plane' && container.running,
  );
  for (const { container } of controlPlanes) {
    try {
      const contents = await snapshotOf(engine, access, container.name, run.id, signal);
      const path = await run.keepSnapshot(container.name, contents);
      return { taken: true, node: container.name, path, bytes: contents.byteLength };
    } catch (error) {
      signal.throwIfAborted();
      reasons.push(`${container.name}: ${messageOf(error)}`);
    }
  }
  for (const { step } of plan.steps) {
    if (step.kind !== 'edit-file' || step.path !== etcdManifest) continue;
    try {
      const contents = await copyFolder(engine, step.node);
      if (contents === undefined) continue;
      const path = await run.keepEtcdFolder(step.node, contents);
      return { taken: true, node: step.node, path, bytes: contents.byteLength };
    } catch (error) {
      signal.throwIfAborted();
      const reason = `etcd does not answer, and ${etcdFolder} on ${step.node} could not be copied, so nothing was changed: ${messageOf(error)}`;
      return { taken: false, reason, forbids: true };
    }
  }
  return { taken: false, reason: reasons.join('; ') || 'no control plane runs', forbids: false };
}

/** Undefined where there is no such folder, and so nothing to lose. Rejects where it is there and cannot be copied. */
async function copyFolder(engine: Engine, node: string): Promise<Buffer | undefined> {
  try {
    const archive = await writeArchive(await engine.getArchive(node, etcdFolder));
    // The write-ahead log is mostly zeros set aside; the fastest level takes those out.
    return await promisify(gzip)(archive, { level: 1 });
  } catch (error) {
    if (error instanceof EngineError && error.kind === 'not-found') return undefined;
    throw error;
  }
}

async function snapshotOf(
  engine: Engine,
  access: ClusterAccess,
  name: string,
  runId: string,
  signal: AbortSignal,
): Promise<Buffer> {
  const node = access.nodes.get(name);
  if (node === undefined) throw new Error('the node cannot be reached');
  const [found] = await node.perform([{ op: 'run', argv: ['pidof', '-s', 'etcd'], timeoutSeconds: 5 }], {
    timeoutMs: 10_000,
    signal,
  });
  const pid = found?.ok === true && found.op === 'run' ? found.stdout.toString('utf8').trim() : '';
  if (!/^\d+$/.test(pid)) throw new Error('etcd does not run');
  const path = `/var/lib/${temporaryPrefix}snapshot-${runId}.db`;
  const argv = [
    `/proc/${pid}/root/usr/local/bin/etcdctl`,
    '--endpoints=https://127.0.0.1:2379',
    `--cacert=${pki}/ca.crt`,
    `--cert=${pki}/healthcheck-client.crt`,
    `--key=${pki}/healthcheck-client.key`,
    `--command-timeout=${snapshotSeconds - 5}s`,
    'snapshot',
    'save',
    path,
  ];
  try {
    const [saved] = await node.perform([{ op: 'run', argv, timeoutSeconds: snapshotSeconds }], {
      timeoutMs: (snapshotSeconds + 5) * 1000,
      signal,
    });
    if (saved?.ok !== true || saved.op !== 'run') throw new Error(saved?.ok === false ? saved.reason : 'no answer');
    if (saved.exitCode !== 0)
      throw new Error(
        `etcdctl ended with exit code ${saved.exitCode}: ${saved.stderr.toString('utf8').trim().split('\n').at(-1) ?? ''}`,
      );
    const file = (await engine.getArchive(name, path)).find(({ type }) => type === 'file');
    if (file === undefined) throw new Error('the snapshot was not found where it was written');
    return file.contents;
  } finally {
    await node
      .perform(
        [
          { op: 'remove', path },
          { op: 'remove', path: `${path}.part` },
        ],
        { timeoutMs: 10_000 },
      )
      .catch(() => undefined);
  }
}
