import { expect, test } from 'vitest';
import { durationMs, parseDuration } from './durations.ts';

test.each([
  ['1ms', 1],
  ['30s', 30_000],
  ['10m', 600_000],
  ['1h', 3_600_000],
  ['90d', 7_776_000_000],
])('%s is %i milliseconds', (text, ms) => {
  expect(durationMs(text)).toBe(ms);
});

test.each(['', '30', '0s', '-1s', '1.5h', '10 m', '1w', 'constructor', '1s\n'])('"%s" is no duration', (text) => {
  expect(parseDuration(text)).toBeUndefined();
  expect(() => durationMs(text)).toThrow(RangeError);
});
