import { expect, test } from 'vitest';
import { remember } from './remember.ts';

test('what was put there longest ago goes first, and what is put there again is the last', () => {
  const entries = new Map<string, number>();
  for (const [index, key] of ['a', 'b', 'c', 'a', 'd'].entries()) remember(entries, key, index, 3);
  expect([...entries]).toEqual([
    ['c', 2],
    ['a', 3],
    ['d', 4],
  ]);
});
