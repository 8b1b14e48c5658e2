import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { cluster, controlPlane } from '../../facts/testing/facts.ts';
import { flagsFile, kubeadmFile, manifestFolder } from '../../facts/testing/node-files.ts';
import type { JournalEntry } from '../../runs/journal.ts';
import { healCluster, type HealOptions } from '../heal.ts';
import type { HealOutcome } from '../messages.ts';
import { openRuns } from '../state.ts';
import type { FakeWorld } from './fake-world.ts';
import { makeHost } from './host.ts';
import { readText, textFile } from './fake-node.ts';

/** A heal as a person runs it who says yes. */
export async function heal(fake: FakeWorld, options: Partial<HealOptions> = {}): Promise<HealOutcome> {
  return await healCluster(fake.world, cluster, {
    dryRun: false,
    only: [],
    maxRisk: 'disruptive',
    timeoutMs: 300_000,
    host: makeHost(),
    signal: new AbortController().signal,
    ...options,
  });
}

/** Every file of every node with bytes, mode and owner, in a form that tests can compare. */
export function pictureFiles(fake: FakeWorld): Record<string, string> {
  return Object.fromEntries(
    fake.cluster
      .nodes()
      .flatMap(({ facts, files }) =>
        [...files]
          .map(([path, { contents, mode, uid, gid }]) => [
            `${facts.name}:${path}`,
            `${mode.toString(8)} ${uid}:${gid}\n${contents.toString('utf8')}`,
          ])
          .toSorted(([left = ''], [right = '']) => left.localeCompare(right)),
      ),
  );
}

export function listTemporaries(fake: FakeWorld): string[] {
  return Object.keys(pictureFiles(fake)).filter((name) => name.includes('.rekindle-'));
}

/** The text of a file of the control plane. */
export function textOf(fake: FakeWorld, path: string, node = controlPlane): string {
  return readText(fake.cluster.find(node).files, path) ?? '';
}

export async function readJournal(fake: FakeWorld, run: string | null): Promise<JournalEntry[]> {
  return await openRuns(fake.world.surroundings).read(run ?? '');
}

/** The lines that the newest run has on the disk. */
export async function countEntries(fake: FakeWorld): Promise<number> {
  const runs = join(fake.dataFolder, 'rekindle', 'runs');
  const newest = (await readdir(runs).catch(() => [])).toSorted((left, right) => left.localeCompare(right)).at(-1);
  if (newest === undefined) return 0;
  return (await readFile(join(runs, newest, 'journal.jsonl'), 'utf8')).split('\n').length - 1;
}

/** The runbook's crash: control plane and worker2 (or nobody, in a cluster of one) exchange their addresses. */
export async function crashByRunbook(fake: FakeWorld): Promise<void> {
  const other = fake.cluster.containers.has('idp-mvp-worker2') ? { 'idp-mvp-worker2': 2 } : {};
  await fake.cluster.crash({ [controlPlane]: 4, ...other });
}

/** The same crash, and another one in the middle of the boot: files half rewritten, the certificate not made yet. */
export async function crashHalfway(fake: FakeWorld): Promise<void> {
  const { files } = fake.cluster.find(controlPlane);
  const before = new Map(files);
  await crashByRunbook(fake);
  for (const path of [`${manifestFolder}/etcd.yaml`, flagsFile, kubeadmFile]) {
    const file = before.get(path);
    if (file !== undefined) files.set(path, file);
  }
  files.delete('/etc/kubernetes/pki/apiserver.crt');
  files.delete('/etc/kubernetes/pki/apiserver.key');
  fake.cluster.startKubelet(fake.cluster.find(controlPlane));
  fake.clock.advance(120_000);
  fake.cluster.settle();
}

export function replaceText(fake: FakeWorld, node: string, path: string, change: (text: string) => string): void {
  const { files } = fake.cluster.find(node);
  files.set(path, textFile(change(readText(files, path) ?? '')));
}
