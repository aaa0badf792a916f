import { expect, test } from 'vitest';
import { JoinFailures } from './join-failures.ts';

test('a session that fails is given back at once, then later each time, up to 15 s; others go on', () => {
  const failures = new JoinFailures(() => 0);
  expect([1, 2, 3, 4, 5, 6, 7, 8].map(() => failures.failed('a'))).toEqual([
    0, 500, 1_000, 2_000, 4_000, 8_000, 15_000, 15_000,
  ]);
  expect(failures.mayJoin).toBe(true);
});

test('when several fail and none succeeds the host joins nothing for a while, longer each time', () => {
  let now = 0;
  const failures = new JoinFailures(() => now);
  const pauses = [];
  failures.failed('first');
  for (let round = 0; round < 7; round += 1) {
    failures.failed(`room ${round}`);
    // Those that were on their way when it began to pause say nothing new.
    failures.failed(`another ${round}`);
    const from = now;
    while (!failures.mayJoin) now += 250;
    pauses.push(now - from);
  }
  expect(pauses).toEqual([500, 1_000, 2_000, 4_000, 4_000, 4_000, 4_000]);
});

test('a join that succeeds ends the pause, and clears the session', () => {
  const failures = new JoinFailures(() => 0);
  failures.failed('a');
  failures.failed('b');
  expect(failures.mayJoin).toBe(false);
  failures.succeeded('a');
  expect(failures.mayJoin).toBe(true);
  expect(failures.failed('a')).toBe(0);
});
