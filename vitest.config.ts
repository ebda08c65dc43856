import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    globalSetup: ['test/support/build-once.ts'],
    setupFiles: ['test/support/balanced.ts'],
    include: ['test/**/*.test.ts'],
    exclude: ['test/**/*.long.test.ts', 'node_modules/**'],
    // As many as there are processors: much of the time somebody waits for a process, a browser or a timer.
    maxWorkers: '100%',
    // A file leaves nothing behind that another one meets; a process for each of them would cost half of the time.
    isolate: false,
    // Generous: most tests take milliseconds, but some start processes or a browser, and CI machines are busy.
    // A busy machine takes longer than the second that is usual.
    expect: { poll: { timeout: 20_000 } },
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});
