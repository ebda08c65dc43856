import { defineConfig } from 'vitest/config';

/** Kills, soak and large exports: minutes, not seconds. `npm run test:slow`. */
export default defineConfig({
  test: {
    globalSetup: ['test/support/build-once.ts'],
    include: ['test/**/*.slow.test.ts'],
    testTimeout: 20 * 60_000,
    hookTimeout: 60_000,
    fileParallelism: false,
  },
});
