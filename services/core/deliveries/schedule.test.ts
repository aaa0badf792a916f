import { expect, test } from 'vitest';
import { maxAttempts, waitAfterAttempt } from './schedule.ts';

const all = (random: number) =>
  Array.from({ length: maxAttempts - 1 }, (_, index) => waitAfterAttempt(index + 1, { random }) ?? 0);
const days = (waits: number[]) => waits.reduce((sum, wait) => sum + wait, 0) / 86_400_000;

test('ten attempts are spread over three days, quickly at first', () => {
  expect(maxAttempts).toBe(10);
  expect(waitAfterAttempt(1, { random: 0.5 })).toBe(5_000);
  expect(days(all(0.5))).toBeCloseTo(3, 1);
  expect(all(0.5)).toEqual(all(0.5).toSorted((a, b) => a - b));
});

test('each wait is spread by a tenth, and there is none after the last attempt', () => {
  expect(waitAfterAttempt(2, { random: 0 })).toBe(27_000);
  expect(waitAfterAttempt(2, { random: 1 })).toBe(33_000);
  expect(waitAfterAttempt(maxAttempts, { random: 0.5 })).toBeUndefined();
  expect(waitAfterAttempt(maxAttempts + 5, { random: 0.5 })).toBeUndefined();
});

test('a scale shortens the waits', () => {
  expect(waitAfterAttempt(1, { random: 0.5, scale: 0.001 })).toBe(5);
});
