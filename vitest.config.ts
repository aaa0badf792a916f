import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { cacheFolder } from './scripts/toolchain/cache.ts';
import { LongestFirst } from './test/support/longest-first.ts';

const minuteMs = 60_000;

/** Tests of a file beside it: they start no servers but a few of their own making. */
const unit = ['{services,infra,scripts}/**/*.test.ts'];
/**
 * Dozens of conversations at once, and sentences that are said once and must be understood: what they say of the product holds where nothing else
 * takes the machine. Beside other workers a sentence was misheard in 3 of 6 runs of the last file, alone in none of 3; what a machine says on the
 * telephone was never understood in 2 of 2 whole runs, and always where only this file ran, also beside eight busy loops.
 */
const alone = [
  'test/flows/hosts/rollout.test.ts',
  'test/flows/agents-as-code/merge.test.ts',
  'test/flows/voice/conversation.test.ts',
  'test/flows/telephone/calls-out.test.ts',
];
/** Stories of `npm run soak -- widget`, `-- pooler` and `-- phone` (scripts/soak): too many pages for every run, and programs that are not everywhere. */
const ofSoak = [
  ...(process.env.SOAK_WIDGET ? [] : ['test/browser/widget/{cold-start,hostile-pages,states,trials,voice}.test.ts']),
  ...(process.env.SOAK_PHONE ? [] : ['test/flows/telephone/other-phones.test.ts']),
  ...(process.env.SOAK_POOLER ? [] : ['test/flows/operator/pgbouncer.test.ts']),
];
const globalSetup = ['test/support/global-setup.ts'];
/**
 * A story waits more than it works: those in real time, with a voice or a dozen conversations, take 0.3 to 0.5 of a core, and
 * were each seen green beside a load of 8 to 23 on two cores.
 */
const maxWorkers = 3;

export default defineConfig({
  // How long each file took, for the order of the next run, also of a fresh clone.
  cacheDir: join(cacheFolder(), 'tests'),
  test: {
    pool: 'forks',
    tags: [{ name: 'quick', description: 'the conversations of npm test -- --quick' }],
    // Deadlines are for what hangs, never a measure of speed.
    testTimeout: 5 * minuteMs,
    hookTimeout: 5 * minuteMs,
    teardownTimeout: minuteMs,
    retry: 0,
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        extends: true,
        test: {
          name: 'stories',
          globalSetup,
          include: ['test/**/*.test.ts'],
          exclude: ['**/node_modules/**', ...alone, ...ofSoak],
          maxWorkers,
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        // A process for each of 120 small files takes longer than the tests in them: 67 s of CPU, 38 s in two that are kept.
        // They come after the stories, and keep the workers busy that have none left.
        test: { name: 'unit', include: unit, isolate: false, maxWorkers, sequence: { groupOrder: 0 } },
      },
      {
        extends: true,
        test: { name: 'alone', globalSetup, include: alone, maxWorkers: 1, sequence: { groupOrder: 1 } },
      },
    ],
  },
});
