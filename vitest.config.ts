import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['{src,lab,scripts,bench}/**/*.test.ts'],
    // Bundles are loaded as they are.
    server: { deps: { external: [/\/build\//] } },
    exclude: ['lab/kind/real/**', 'node_modules/**'],
    // Nothing may depend on the terminal or the files of whoever runs the tests.
    env: { NO_COLOR: '1', TZ: 'UTC' },
    reporters: process.env['CI'] === undefined ? ['default'] : ['default', 'json'],
    outputFile: { json: '.ci/results/unit.json' },
  },
});
