import { expect, test } from 'vitest';
import { sleep, sleepOrStop } from './sleep.ts';

test('a signal ends a sleep at once: with an error, or without one for loops', async () => {
  const stop = new AbortController();
  const asleep = [sleep(60_000, stop.signal), sleepOrStop(60_000, stop.signal)] as const;
  stop.abort();
  await expect(asleep[0]).rejects.toThrow('aborted');
  await asleep[1];
  await sleepOrStop(60_000, stop.signal);
});
