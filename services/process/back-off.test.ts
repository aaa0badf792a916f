import { expect, test } from 'vitest';
import { backOffMs } from './back-off.ts';

const pauses = (failures: number, longestMs?: number) =>
  Array.from({ length: 200 }, () => backOffMs(failures, { firstMs: 100, ...(longestMs && { longestMs }) }));

test.each([
  [1, 50, 100],
  [2, 100, 200],
  [5, 800, 1_600],
])('after %i failures the pause is drawn between %i and %i ms', (failures, least, most) => {
  for (const ms of pauses(failures)) {
    expect(ms).toBeGreaterThanOrEqual(least);
    expect(ms).toBeLessThanOrEqual(most);
  }
  expect(new Set(pauses(failures)).size).toBeGreaterThan(100);
});

test('it grows no further than the longest, whatever the number of failures', () => {
  expect(Math.max(...pauses(2_000, 300))).toBeLessThanOrEqual(300);
  expect(Math.min(...pauses(2_000, 300))).toBeGreaterThanOrEqual(150);
});
