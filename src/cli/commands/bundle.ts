import { resolve } from 'node:path';
import type { PackedBundle } from '../../bundle/pack.ts';
import { type ClusterOptions, pickCluster, readWantedCluster } from '../cluster.ts';
import { UsageError } from '../errors.ts';
import { exitCodes } from '../exit-codes.ts';
import type { CommandHost } from '../hosts/host.ts';
import { type EngineOptions, type Invocation, openWorld, withHost } from '../invocation.ts';
import type { OutputStream } from '../streams.ts';
import { requireNoFile, writeNewFile } from './bundle-file.ts';

export interface BundleOptions extends EngineOptions, ClusterOptions {
  /** The format of the result; `--output` is the file. */
  readonly o: 'table' | 'json';
  readonly output?: string | undefined;
  readonly verbose?: true | undefined;
  readonly color: boolean;
}

const standardOutput = '-';

export async function runBundle(options: BundleOptions, invocation: Invocation): Promise<number> {
  const { signal, streams, surroundings } = invocation;
  const wanted = readWantedCluster(options, surroundings.environment);
  const toStandardOutput = options.output === standardOutput;
  requireFitting(options, streams.stdout);
  const chosen = options.output === undefined || toStandardOutput ? null : options.output;
  if (chosen !== null) await requireNoFile(resolve(surroundings.workingDirectory, chosen));
  const engine = await invocation.loadEngine();
  // Where the bundle itself takes standard output, what is told of it goes to standard error.
  const telling = toStandardOutput ? { ...invocation, streams: { ...streams, stdout: streams.stderr } } : invocation;
  const common = { output: options.o, verbose: options.verbose, color: options.color };
  return withHost(common, false, telling, async (host) => {
    const world = await openWorld(engine, options, invocation);
    const hasEngine = engine.readEngineFailure(world) === null;
    const cluster = hasEngine
      ? await pickCluster(wanted, await engine.listClusters(world), options, engine, surroundings)
      : (wanted ?? '');
    const bundle = await engine.makeBundle(world, cluster, { host, signal });
    const path = toStandardOutput ? null : (chosen ?? bundle.name);
    if (path === null) await writeBytes(streams.stdout, bundle.contents);
    else await writeNewFile(resolve(surroundings.workingDirectory, path), bundle.contents, surroundings.randomId());
    present(host, bundle, path);
    return hasEngine ? exitCodes.well : exitCodes.couldNotLook;
  });
}

function requireFitting({ o, output }: BundleOptions, stdout: OutputStream): void {
  if (output === 'json' || output === 'table' || output === 'yaml') {
    throw new UsageError(
      `--output ${output}: here --output is the file to write`,
      'the format of the result is -o json',
    );
  }
  // The path of a folder would become the name of a file otherwise.
  if (output !== undefined && /^$|[/\\]$/.test(output)) {
    throw new UsageError(`--output "${output}" names no file`, 'name the file to write, or leave --output out');
  }
  if (output !== standardOutput) return;
  if (o === 'json') {
    throw new UsageError(
      '--output - and -o json both want standard output',
      'write the bundle to a file, or leave -o json out',
    );
  }
  if (stdout.isTerminal) {
    throw new UsageError(
      'a bundle is not written to a terminal',
      'name a file with --output, or send it on through a pipe',
    );
  }
}

function present(host: CommandHost, { manifest, contents }: PackedBundle, path: string | null): void {
  host.present({ format: 'rekindle.bundle-written/v1', path, bytes: contents.length, manifest });
}

/** Whoever reads may go away early; the stream's own listener tells what else hinders it. */
async function writeBytes(stream: OutputStream, bytes: Buffer): Promise<void> {
  await new Promise<void>((done) => {
    stream.raw.write(bytes, () => done());
  });
}
