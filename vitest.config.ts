import { defineConfig } from 'vitest/config';

const minuteMs = 60_000;

export default defineConfig({
  test: {
    include: ['{services,infra,scripts,test}/**/*.test.ts'],
    globalSetup: ['test/support/global-setup.ts'],
    pool: 'forks',
    // Every story starts servers of its own; more at once would only fight for the cores.
    maxWorkers: 2,
    // Deadlines are for what hangs, never a measure of speed.
    testTimeout: 2 * minuteMs,
    hookTimeout: 2 * minuteMs,
    teardownTimeout: minuteMs,
    retry: 0,
  },
});
