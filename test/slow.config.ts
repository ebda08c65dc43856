import { defineConfig } from 'vitest/config';

/** Kills, soak and large exports: minutes, not seconds. `npm run test:slow`. */
export default defineConfig({
  test: {
    globalSetup: ['test/support/build-once.ts'],
    include: ['test/**/*.slow.test.ts'],
    // A busy machine takes longer than the second that is usual.
    expect: { poll: { timeout: 20_000 } },
    testTimeout: 20 * 60_000,
    hookTimeout: 60_000,
    fileParallelism: false,
  },
});
