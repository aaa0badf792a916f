import { defineConfig } from 'vitest/config';

const minuteMs = 60_000;

/** Tests of a file beside it: they start no servers but a few of their own making. */
const unit = ['{services,infra,scripts}/**/*.test.ts'];
/**
 * Stories in real time: dozens of conversations, or a voice, which a machine of two cores carries once. Beside another file's
 * servers a word comes too late now and then, and what fails is the machine.
 */
const alone = [
  'test/flows/agents-as-code/merge.test.ts',
  'test/flows/hosts/{handover,rollout}.test.ts',
  'test/flows/rooms/room-servers.test.ts',
  'test/flows/voice/{conversation,failures,hosts,manners,realtime,realtime-faults}.test.ts',
  'test/proofs/**/*.test.ts',
];
const globalSetup = ['test/support/global-setup.ts'];

export default defineConfig({
  test: {
    pool: 'forks',
    tags: [{ name: 'quick', description: 'the conversations of npm test -- --quick' }],
    // Deadlines are for what hangs, never a measure of speed.
    testTimeout: 2 * minuteMs,
    hookTimeout: 2 * minuteMs,
    teardownTimeout: minuteMs,
    retry: 0,
    projects: [
      {
        extends: true,
        // A process for each of 120 small files takes longer than the tests in them: 67 s of CPU, 38 s in two that are kept.
        test: { name: 'unit', include: unit, isolate: false, maxWorkers: 2, sequence: { groupOrder: 0 } },
      },
      {
        extends: true,
        test: {
          name: 'beside',
          globalSetup,
          include: ['test/**/*.test.ts'],
          exclude: ['**/node_modules/**', ...alone],
          // Every story starts servers of its own; more at once would only fight for the cores.
          maxWorkers: 2,
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        test: { name: 'alone', globalSetup, include: alone, maxWorkers: 1, sequence: { groupOrder: 2 } },
      },
    ],
  },
});
