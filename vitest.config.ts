import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['{src,lab,scripts,bench}/**/*.test.ts'],
    // Bundles are loaded as they are.
    server: { deps: { external: [/\/build\//] } },
    exclude: ['lab/kind/real/**', 'node_modules/**'],
    // Nothing may depend on the terminal or the files of whoever runs the tests.
    env: { NO_COLOR: '1', TZ: 'UTC' },
    // The machine may be busy with the random crashes, or with something else.
    testTimeout: 30_000,
    reporters: process.env['CI'] === undefined ? ['default'] : ['default', 'json'],
    outputFile: { json: '.ci/results/unit.json' },
  },
});
