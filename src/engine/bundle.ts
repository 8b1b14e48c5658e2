import pLimit from 'p-limit';
import type { BundleFile, PackedBundle } from '../bundle/pack.ts';
import { packBundle } from '../bundle/pack.ts';
import type { BundleManifest } from '../bundle/manifest.ts';
import type { Facts } from '../facts/facts.ts';
import type { Node } from '../node/port.ts';
import { diagnose } from './diagnose.ts';
import { messageOf } from './gather/containers.ts';
import { gather, nodesSideBySide } from './gather/gather.ts';
import { gatherLogs } from './gather/logs.ts';
import type { Host } from './messages.ts';
import { openRuns } from './state.ts';
import type { World } from './world.ts';

/** Older runs tell little of what is wrong now. */
const newestRuns = 20;
/** Characters of JSON. A step takes some 500; to search megabytes for secrets would take minutes. */
const longestJournal = 512 * 1024;

/**
 * Looks at a cluster once more and packs what was seen, redacted: facts, diagnosis, the tails of the nodes' logs and
 * the journals of the cluster's runs (no backups, no snapshots). What cannot be had is listed as missing. Without an
 * engine there are the engine's facts and the runs; an empty `cluster` means the runs of all. Rejects on abort only.
 */
export async function makeBundle(
  world: World,
  cluster: string,
  { host, signal }: { readonly host: Host; readonly signal: AbortSignal },
): Promise<PackedBundle> {
  const { clock, version, platform } = world.surroundings;
  host.tell({ code: 'gather-started', cluster });
  const { facts, access } = await gather(world, cluster, signal);
  const [logs, runs] = await Promise.all([collectLogs(facts, access.nodes, signal), collectRuns(world, cluster)]);
  signal.throwIfAborted();
  host.tell({ code: 'gather-ended', cluster });
  return await packBundle({
    madeAt: clock.now(),
    version,
    hostPlatform: platform,
    cluster,
    files: [
      { path: ['facts.json'], what: 'what was observed', contents: { json: facts } },
      { path: ['diagnosis.json'], what: 'what this rekindle made of it', contents: { json: diagnose(facts) } },
      ...runs.files,
      ...logs.files,
    ],
    missing: [...missingWithoutEngine(facts), ...runs.missing, ...logs.missing],
  });
}

function missingWithoutEngine({ engine }: Facts): BundleManifest['missing'] {
  return engine.state === 'reachable' ? [] : [{ what: 'the state of the cluster', reason: engine.reason }];
}

interface Collected {
  readonly files: readonly BundleFile[];
  readonly missing: BundleManifest['missing'];
}

async function collectLogs(facts: Facts, nodes: ReadonlyMap<string, Node>, signal: AbortSignal): Promise<Collected> {
  if (facts.engine.state !== 'reachable') return { files: [], missing: [] };
  if (!facts.containers.ok)
    return { files: [], missing: [{ what: 'logs of the nodes', reason: facts.containers.reason }] };
  const limit = pLimit(nodesSideBySide);
  const logs = await Promise.all(
    facts.containers.value.map(async ({ name, role }) => {
      const node = nodes.get(name);
      return node === undefined || role === 'external-load-balancer'
        ? []
        : await limit(() => gatherLogs(node, role, signal));
    }),
  );
  const files: BundleFile[] = [];
  const missing: Collected['missing'] = [];
  for (const { node, source, text } of logs.flat()) {
    const what = `log of ${source} on ${node}`;
    if (text.ok) files.push({ path: ['logs', node, `${source}.log`], what, contents: { text: text.value } });
    else missing.push({ what, reason: text.reason });
  }
  return { files, missing };
}

async function collectRuns(world: World, cluster: string): Promise<Collected> {
  const files: BundleFile[] = [];
  const missing: Collected['missing'] = [];
  try {
    const store = openRuns(world.surroundings);
    const runs = (await store.list()).filter((run) => cluster === '' || run.cluster === cluster);
    for (const { id } of runs.slice(0, newestRuns)) {
      const what = `journal of run ${id}`;
      try {
        const entries = await store.read(id);
        const lines = cutMiddle(entries);
        files.push({ path: ['runs', `${id}.jsonl`], what, contents: { lines } });
        const left = entries.length - lines.length;
        if (left > 0) missing.push({ what: `${left} entries of the ${what}`, reason: 'it is too long' });
      } catch (error) {
        missing.push({ what, reason: messageOf(error) });
      }
    }
    const older = runs.length - newestRuns;
    if (older > 0)
      missing.push({ what: `journals of ${older} older runs`, reason: `only the newest ${newestRuns} are taken` });
  } catch (error) {
    missing.push({ what: 'journals', reason: messageOf(error) });
  }
  return { files, missing };
}

/** The first entry, which tells what the run is, and the newest. */
function cutMiddle<Entry>(entries: readonly Entry[]): Entry[] {
  const [first, ...others] = entries;
  if (first === undefined) return [];
  let length = JSON.stringify(first).length;
  const start = others.findLastIndex((entry) => {
    length += JSON.stringify(entry).length;
    return length > longestJournal;
  });
  return [first, ...others.slice(start + 1)];
}
