import { chmod, readFile, rm } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { build as bundle, type BuildOptions, type Plugin } from 'esbuild';

/** Bundles the program into dist/: start-up time is import time, so each command is a chunk of its own. */
const root = fileURLToPath(new URL('..', import.meta.url));
/**
 * What the Docker library does at every start or call and rekindle never needs, measured at a third of doctor's time.
 * Each text must be found, so that a new version of the library cannot slip past.
 */
const patches: readonly { readonly file: RegExp; readonly from: string | undefined; readonly to: string }[] = [
  // Build sessions bring gRPC and Protocol Buffers.
  {
    file: /[\\/]dockerode[\\/]lib[\\/](session|buildkit)\.js$/,
    from: undefined,
    to: "module.exports = () => { throw new Error('rekindle builds no images'); };",
  },
  // Every request is printed into a debug line, sockets and all, whether or not anybody reads it.
  {
    file: /[\\/]docker-modem[\\/]lib[\\/]modem\.js$/,
    from: "debug('Sending: %s', util.inspect(options, {\n    showHidden: true,\n    depth: null\n  }));",
    to: '',
  },
  // The ssh client is loaded by those who use ssh.
  {
    file: /[\\/]docker-modem[\\/]lib[\\/]ssh\.js$/,
    from: "var Client = require('ssh2').Client,",
    to: "var Client = function () { return new (require('ssh2').Client)(); },",
  },
];

const trimDockerLibrary: Plugin = {
  name: 'trim-docker-library',
  setup: (build) => {
    for (const { file, from, to } of patches) {
      build.onLoad({ filter: file }, async ({ path }) => {
        if (from === undefined) return { contents: to };
        const text = await readFile(path, 'utf8');
        if (!text.includes(from)) throw new Error(`${path} has changed: the text to replace is not in it`);
        return { contents: text.replace(from, to) };
      });
    }
  },
};

const outdir = `${root}dist`;
const labOutdir = `${root}build`;

const common: BuildOptions = {
  absWorkingDir: root,
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  legalComments: 'linked',
  plugins: [trimDockerLibrary],
  // Native parts of ssh2 that it does without where they are not built; ssh2 itself is large, and loaded from beside
  // the program by those who use ssh.
  external: ['ssh2'],
  // CommonJS packages inside an ES module still call require, and ask where they stand.
  banner: {
    js: [
      "import { createRequire as makeRequire } from 'node:module';",
      "import { fileURLToPath as toPath } from 'node:url';",
      'const require = makeRequire(import.meta.url);',
      "const __dirname = toPath(new URL('.', import.meta.url));",
    ].join(' '),
  },
  logLevel: 'warning',
};

await rm(outdir, { recursive: true, force: true });
await bundle({
  ...common,
  entryPoints: { rekindle: 'src/main.ts' },
  outdir,
  chunkNames: 'chunks/[name]-[hash]',
  splitting: true,
  minifySyntax: true,
  minifyWhitespace: true,
});
// The simulated world in one file, the product with it: while its time leaps nothing may be on its way from a loader.
await bundle({
  ...common,
  entryPoints: { sim: 'lab/sim/index.ts', crashes: 'lab/sim/crashes/index.ts' },
  outdir: labOutdir,
  sourcemap: 'inline',
});
await chmod(`${outdir}/rekindle.js`, 0o755);
