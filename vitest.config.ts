import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    globalSetup: ['test/support/build-once.ts'],
    include: ['test/**/*.test.ts'],
    exclude: ['test/**/*.{long,slow}.test.ts', 'node_modules/**'],
    // Generous: most tests take milliseconds, but some start processes or a browser, and CI machines are busy.
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});
