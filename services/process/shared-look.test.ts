import { expect, test } from 'vitest';
import { sharedLook } from './shared-look.ts';
import { sleep } from './sleep.ts';

test('however many ask, there is one look, and a later one when it is old', async () => {
  let looks = 0;
  const look = sharedLook(async () => ++looks, 0);
  expect(await Promise.all([look(), look(), look()])).toEqual([1, 1, 1]);
  await sleep(2);
  expect(await look()).toBe(2);
});

test('a look that failed is tried again by the next who asks', async () => {
  let looks = 0;
  const look = sharedLook(async () => {
    looks += 1;
    if (looks === 1) throw new Error('away');
    return looks;
  }, 60_000);
  await expect(look()).rejects.toThrow('away');
  expect([await look(), await look()]).toEqual([2, 2]);
});
