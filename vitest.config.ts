import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'lab/**/*.test.ts', 'scripts/**/*.test.ts'],
    exclude: ['lab/kind/real/**', 'node_modules/**'],
    // Nothing may depend on the terminal or the files of whoever runs the tests.
    env: { NO_COLOR: '1', TZ: 'UTC' },
  },
});
