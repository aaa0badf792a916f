import type { Options } from 'express-rate-limit';
import { expect, test } from 'vitest';
import { ownCounters } from './counters.ts';

test('requests at once are counted one after another, each with a number of its own', async () => {
  const counters = ownCounters();
  counters.init?.({ windowMs: 60_000 } as Options);
  const counted = await Promise.all(Array.from({ length: 20 }, () => counters.increment('key')));
  expect(counted.map(({ totalHits }) => totalHits)).toEqual(Array.from({ length: 20 }, (_, index) => index + 1));
  await counters.close();
});
