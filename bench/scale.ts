import { spawn } from 'node:child_process';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { TLSSocket } from 'node:tls';
import { parseArgs } from 'node:util';
import { judgeScale, type Look, renderScale, type Size } from './scale-report.ts';
import { makeScaleWorld, type ScaleWorld } from './scale-world.ts';

const usage = `Measures doctor on simulated clusters of several sizes, in one run.

  npm run bench -- scale [--json] [--rounds N] [--nodes 3,10,30,100] [--pods-per-node 100] [--program FILE]

Needs no engine. Ends with 1 where doctor does not grow as it should. Takes about a minute on 2 cores.
`;

/** Ends with the exit code: 0 where doctor grows as it should, 1 where not, 2 for arguments that make no sense. */
export async function benchScale(argv: string[], say: (text: string) => void): Promise<number> {
  const { values } = parseArgs({
    args: argv,
    options: {
      json: { type: 'boolean', default: false },
      rounds: { type: 'string', default: '7' },
      nodes: { type: 'string', default: '3,10,30,100' },
      'pods-per-node': { type: 'string', default: '100' },
      program: { type: 'string', default: join(import.meta.dirname, '..', 'dist', 'rekindle.js') },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  const rounds = Number(values.rounds);
  const podsPerNode = Number(values['pods-per-node']);
  const counts = values.nodes.split(',').map(Number);
  if (values.help || ![rounds, podsPerNode, ...counts].every((each) => Number.isInteger(each) && each > 0)) {
    process.stderr.write(usage);
    return values.help ? 0 : 2;
  }
  const worlds: ScaleWorld[] = [];
  try {
    for (const nodes of counts.toSorted((left, right) => left - right)) {
      say(`scale: making a cluster of ${nodes} nodes and ${nodes * podsPerNode} pods`);
      worlds.push(await makeScaleWorld(nodes, nodes * podsPerNode));
    }
    const report = judgeScale(await measure(worlds, values.program, rounds, say));
    process.stdout.write(values.json ? `${JSON.stringify(report, null, 2)}\n` : renderScale(report));
    return report.rules.every(({ holds }) => holds) ? 0 : 1;
  } finally {
    for (const world of worlds) await world.close();
  }
}

/** The sizes in turns, so that a machine that is slow for a while is slow for all. The first round is thrown away. */
async function measure(
  worlds: readonly ScaleWorld[],
  program: string,
  rounds: number,
  say: (text: string) => void,
): Promise<Size[]> {
  const looks = new Map(worlds.map((world) => [world, [] as Look[]]));
  for (let round = 0; round <= rounds; round += 1) {
    say(round === 0 ? 'scale: once to warm up' : `scale: round ${round} of ${rounds}`);
    for (const world of worlds) {
      await world.catchUp();
      const look = await runDoctor(world, program);
      if (round > 0) looks.get(world)?.push(look);
    }
  }
  return worlds.map((world) => ({ nodes: world.nodes, pods: world.pods, looks: looks.get(world) ?? [] }));
}

/** Tells what the process used, on its way out. */
const probe = `data:text/javascript,${encodeURIComponent(
  "import{writeSync}from'node:fs';process.on('exit',()=>writeSync(3,JSON.stringify(process.resourceUsage())))",
)}`;

interface ResourceUsage {
  /** Microseconds. */
  readonly userCPUTime: number;
  readonly systemCPUTime: number;
  /** Kibibytes. */
  readonly maxRSS: number;
}

async function runDoctor(world: ScaleWorld, program: string): Promise<Look> {
  const counted = countCalls(world);
  const start = performance.now();
  const child = spawn(process.execPath, ['--import', probe, program, 'doctor'], {
    env: { ...world.environment },
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
  });
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  const [exitCode, told, stdout, stderr] = await Promise.all([
    ended,
    text(child.stdio[3] as Readable),
    text(child.stdout as Readable),
    text(child.stderr as Readable),
  ]);
  const wallMs = performance.now() - start;
  const calls = counted();
  if (exitCode !== 0 || /warning/i.test(stderr)) {
    throw new Error(`doctor ended with ${exitCode} on a healthy cluster of ${world.nodes} nodes:\n${stderr}${stdout}`);
  }
  const { userCPUTime, systemCPUTime, maxRSS } = JSON.parse(told) as ResourceUsage;
  return { wallMs, cpuMs: (userCPUTime + systemCPUTime) / 1000, residentMegabytes: maxRSS / 1024, ...calls };
}

type Calls = Pick<Look, 'dockerCalls' | 'execs' | 'apiCalls'>;

/** Counts what this process's servers are asked, until the answer is called. */
function countCalls(world: ScaleWorld): () => Calls {
  const calls = { dockerCalls: 0, execs: 0, apiCalls: 0 };
  const onRequest = (message: unknown) => {
    const { request } = message as { readonly request: IncomingMessage };
    calls[request.socket instanceof TLSSocket ? 'apiCalls' : 'dockerCalls'] += 1;
  };
  subscribe('http.server.request.start', onRequest);
  // A started command takes its connection over, which is no request to Node.js.
  const stopListening = world.onExec(() => {
    calls.execs += 1;
    calls.dockerCalls += 1;
  });
  return () => {
    unsubscribe('http.server.request.start', onRequest);
    stopListening();
    return calls;
  };
}
