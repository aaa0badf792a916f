import { expect, test } from 'vitest';
import { retryAfterMs } from './retry-after.ts';

const now = Date.parse('2026-11-21T08:00:00Z');
const read = (value?: string) => retryAfterMs(new Headers(value === undefined ? {} : { 'retry-after': value }), now);

test.for([
  ['2', 2_000],
  ['0', 0],
  ['1.5', 1_500],
  ['Sat, 21 Nov 2026 08:00:30 GMT', 30_000],
  ['Sat, 21 Nov 2026 07:00:00 GMT', 0],
  ['-5', 0],
  ['soon', undefined],
  [undefined, undefined],
] as const)('Retry-After: %s is %s ms', ([value, expected]) => {
  expect(read(value)).toBe(expected);
});
