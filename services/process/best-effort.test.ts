import { expect, test } from 'vitest';
import { bestEffort, type FailedEffort, onFailedEffort } from './best-effort.ts';

test('what works is given, what fails is undefined, and nothing is nothing', async () => {
  expect(await bestEffort('it may be gone', Promise.resolve(1))).toBe(1);
  expect(await bestEffort('it may be gone', Promise.reject(new Error('gone')))).toBeUndefined();
  expect(await bestEffort('it may be gone', undefined)).toBeUndefined();
});

test('whoever asks hears why a failure did no harm, and what failed', async () => {
  const told: FailedEffort[] = [];
  const deaf = onFailedEffort((failed) => told.push(failed));
  const err = new Error('gone');
  await bestEffort('it may be gone', Promise.reject(err));
  deaf();
  await bestEffort('nobody hears', Promise.reject(err));
  expect(told).toEqual([{ why: 'it may be gone', err }]);
});
