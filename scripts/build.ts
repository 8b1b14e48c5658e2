import { chmod, rm } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

/** Bundles the program into dist/: start-up time is import time, so each command is a chunk of its own. */
const root = fileURLToPath(new URL('..', import.meta.url));
const outdir = `${root}dist`;

await rm(outdir, { recursive: true, force: true });
await build({
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
  external: ['cpu-features', '*.node'],
  // CommonJS packages inside an ES module still call require for Node's own modules.
  banner: {
    js: "import { createRequire as makeRequire } from 'node:module'; const require = makeRequire(import.meta.url);",
  },
  logLevel: 'warning',
});
await chmod(`${outdir}/rekindle.js`, 0o755);
