import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { parseJournal } from '../../../src/runs/entry.ts';
import type { JournalEntry } from '../../../src/runs/journal.ts';
import type { SimStage } from '../laboratory/stage.ts';
import { holdsSecret } from './visits.ts';

export interface KeptRun {
  readonly id: string;
  readonly entries: readonly JournalEntry[];
}

function stateFolder({ visitor }: SimStage): string {
  return join(visitor.home, 'data', 'rekindle');
}

/** Oldest first. Throws where a journal does not parse. */
export function readRuns(stage: SimStage): KeptRun[] {
  const folder = join(stateFolder(stage), 'runs');
  return list(folder)
    .filter((id) => existsSync(join(folder, id, 'journal.jsonl')))
    .map((id) => {
      const path = join(folder, id, 'journal.jsonl');
      return { id, entries: parseJournal(readFileSync(path), path) };
    })
    .toSorted((left, right) => compare(startOf(left), startOf(right)));
}

function startOf({ entries }: KeptRun): string {
  return entries[0]?.at ?? '';
}

function compare(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0;
}

/** What is wrong with what the product keeps, and what it left behind. */
export function complainOfState(stage: SimStage): string[] {
  const complaints: string[] = [];
  const folder = stateFolder(stage);
  try {
    readRuns(stage);
  } catch (error) {
    complaints.push((error as Error).message);
  }
  for (const id of list(join(folder, 'runs'))) {
    const path = join(folder, 'runs', id, 'journal.jsonl');
    if (existsSync(path) && holdsSecret(readFileSync(path, 'utf8'))) complaints.push(`${id}: the journal holds a key`);
  }
  for (const name of list(join(folder, 'locks'))) complaints.push(`the lock ${name} was left behind`);
  const beside = dirname(stage.visitor.kubeconfig);
  for (const name of list(beside))
    if (name !== basename(stage.visitor.kubeconfig)) complaints.push(`${name} was left beside the kubeconfig`);
  return complaints;
}

/** Temporary files of the product's in the nodes, and anything new in a folder of manifests. */
export function findLeftovers({ world }: SimStage): string[] {
  const found: string[] = [];
  for (const { guests } of world.clusters.values())
    for (const [node, { files }] of guests) {
      for (const { path } of files.walk('/')) if (path.includes('/.rekindle-')) found.push(`${node}:${path}`);
      for (const name of files.list('/etc/kubernetes/manifests') ?? [])
        if (!manifests.has(name)) found.push(`${node}:/etc/kubernetes/manifests/${name}`);
    }
  return found;
}

const manifests = new Set(['etcd.yaml', 'kube-apiserver.yaml', 'kube-controller-manager.yaml', 'kube-scheduler.yaml']);

/** The host's files as they are at this moment; the answered function puts them back: the dead write nothing. */
export function freezeHome({ visitor, world }: SimStage): () => void {
  const copy = mkdtempSync(join(world.folder, 'frozen-'));
  cpSync(visitor.home, copy, { recursive: true, preserveTimestamps: true });
  return () => {
    rmSync(visitor.home, { recursive: true, force: true });
    cpSync(copy, visitor.home, { recursive: true, preserveTimestamps: true });
    rmSync(copy, { recursive: true, force: true });
  };
}

function list(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
