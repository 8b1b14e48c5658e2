import type { Engine } from '../docker/port.ts';
import type { Facts } from '../facts/facts.ts';
import { nodesOf } from '../facts/select.ts';
import type { Run } from '../runs/journal.ts';
import type { ClusterAccess } from './gather/access.ts';
import { messageOf } from './gather/containers.ts';
import { temporaryPrefix } from './gather/node.ts';

export type SnapshotResult =
  | { readonly taken: true; readonly node: string; readonly path: string; readonly bytes: number }
  | { readonly taken: false; readonly reason: string };

const pki = '/etc/kubernetes/pki/etcd';
const snapshotSeconds = 30;

/**
 * etcd's data as one consistent file, kept on this host. etcdctl is the one in etcd's own image, started from the
 * node through the process's root, so that neither an exec into the pod nor a place in it is needed.
 */
export async function takeEtcdSnapshot(
  engine: Engine,
  facts: Facts,
  access: ClusterAccess,
  run: Run,
  signal: AbortSignal,
): Promise<SnapshotResult> {
  const reasons: string[] = [];
  for (const { container } of nodesOf(facts)) {
    if (container.role !== 'control-plane' || !container.running) continue;
    try {
      const contents = await snapshotOf(engine, access, container.name, run.id, signal);
      return {
        taken: true,
        node: container.name,
        path: await run.keepSnapshot(container.name, contents),
        bytes: contents.byteLength,
      };
    } catch (error) {
      signal.throwIfAborted();
      reasons.push(`${container.name}: ${messageOf(error)}`);
    }
  }
  return { taken: false, reason: reasons.join('; ') || 'no control plane runs' };
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
