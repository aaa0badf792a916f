import { expect, test } from 'vitest';
import { WorkedShare } from './worked-share.ts';

test('the share of the last half a minute in which it worked, with what it works on now', async () => {
  let now = 0;
  const worked = new WorkedShare(() => now);
  const work = (ms: number) =>
    worked.during(async () => {
      now += ms;
    });
  expect(worked.share).toBe(0);
  await work(15_000);
  expect(worked.share).toBe(0.5);
  now += 15_000;
  expect(worked.share).toBe(0.5);
  now += 7_500;
  expect(worked.share).toBe(0.25);
  const stalled = Promise.withResolvers<void>();
  const stalling = worked.during(() => stalled.promise);
  now += 30_000;
  expect(worked.share).toBe(1);
  stalled.reject(new Error('it died'));
  await expect(stalling).rejects.toThrow('it died');
  now += 30_000;
  expect(worked.share).toBe(0);
});
