import { chmod, rm } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { build as bundle, type Plugin } from 'esbuild';

/** Bundles the program into dist/: start-up time is import time, so each command is a chunk of its own. */
const root = fileURLToPath(new URL('..', import.meta.url));
/** dockerode's sessions serve image builds alone, and bring gRPC with files that are read from beside its code. */
const withoutBuildSessions: Plugin = {
  name: 'without-build-sessions',
  setup: (build) => {
    build.onLoad({ filter: /[\\/]dockerode[\\/]lib[\\/]session\.js$/ }, () => ({
      contents: "module.exports = () => { throw new Error('rekindle builds no images'); };",
    }));
  },
};

const outdir = `${root}dist`;

await rm(outdir, { recursive: true, force: true });
await bundle({
  absWorkingDir: root,
  entryPoints: { rekindle: 'src/main.ts' },
  outdir,
  chunkNames: 'chunks/[name]-[hash]',
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  minifySyntax: true,
  legalComments: 'linked',
  // Native parts of ssh2 that it does without where they are not built.
  plugins: [withoutBuildSessions],
  external: ['cpu-features', '*.node'],
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
});
await chmod(`${outdir}/rekindle.js`, 0o755);
