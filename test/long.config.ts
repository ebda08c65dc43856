import { defineConfig } from 'vitest/config';

/** Faults, kills, a hostile corpus in a browser, genuine exports: a few minutes, and CI runs them. `npm run test:long`. */
export default defineConfig({
  test: {
    globalSetup: ['test/support/build-once.ts'],
    setupFiles: ['test/support/balanced.ts'],
    include: ['test/**/*.long.test.ts'],
    maxWorkers: '100%',
    // A busy machine takes longer than the second that is usual.
    expect: { poll: { timeout: 20_000 } },
    testTimeout: 180_000,
    hookTimeout: 120_000,
  },
});
