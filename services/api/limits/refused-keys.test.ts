import type { Options } from 'express-rate-limit';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { problems } from '../../contract/problems.ts';
import { type Counters, ownCounters } from './counters.ts';
import { type RefusedKeys, refusedKeys } from './refused-keys.ts';

let counters: Counters;
let limit: RefusedKeys;
let looked: number;

beforeEach(() => {
  counters = ownCounters();
  counters.init?.({ windowMs: 60_000 } as Options);
  limit = refusedKeys(counters, 3);
  looked = 0;
});

afterEach(() => counters.close());

const refuse = async () => {
  looked += 1;
  throw problems.invalidApiKey();
};
const codeOf = (asked: Promise<unknown>) =>
  asked.then(
    () => 'passed',
    (error: { code?: string; message: string }) => error.code ?? error.message,
  );

test('of many at once no more are looked at than may be refused', async () => {
  const codes = await Promise.all(
    Array.from({ length: 50 }, (_, index) => codeOf(limit.admit('a', `key ${index}`, refuse))),
  );
  expect(codes.filter((code) => code === 'invalid_api_key')).toHaveLength(3);
  expect(codes.filter((code) => code === 'rate_limited')).toHaveLength(47);
  expect(looked).toBe(3);
  expect(await codeOf(limit.admit('b', 'key', refuse))).toBe('invalid_api_key');
});

test('many requests at once with one good key are one look', async () => {
  const asked = Array.from({ length: 50 }, () => limit.admit('a', 'good', async () => 'passed'));
  expect(new Set(await Promise.all(asked))).toEqual(new Set(['passed']));
});

test('what passes does not count, nor does a fault of ours', async () => {
  for (let time = 0; time < 10; time += 1) expect(await limit.admit('a', 'key', async () => 'passed')).toBe('passed');
  const fail = () => Promise.reject(new Error('the database is away'));
  for (let time = 0; time < 10; time += 1)
    expect(await codeOf(limit.admit('a', 'key', fail))).toBe('the database is away');
});

test('replicas that count together refuse together', async () => {
  const other = refusedKeys(counters, 3);
  for (const one of [limit, other, limit]) expect(await codeOf(one.admit('a', 'key', refuse))).toBe('invalid_api_key');
  expect(await codeOf(limit.admit('a', 'key', refuse))).toBe('rate_limited');
  // It knows of its own one only: the next that it refuses tells it of the others.
  expect(await codeOf(other.admit('a', 'key', refuse))).toBe('invalid_api_key');
  expect(await codeOf(other.admit('a', 'key', refuse))).toBe('rate_limited');
});
