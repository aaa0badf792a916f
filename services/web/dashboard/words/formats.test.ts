import { expect, test } from 'vitest';
import { duration, makeFormats, milliseconds } from './formats.ts';

const noon = '2026-11-22T12:00:00.250Z';

test("times are told in the person's zone and language", () => {
  expect(makeFormats('en', 'Europe/Berlin').dateTime(noon)).toBe('Nov 22, 13:00');
  expect(makeFormats('de', 'America/New_York').dateTime(noon)).toBe('22. Nov., 07:00');
  expect(makeFormats('en', 'UTC').clock(noon)).toBe('12:00:00.250');
});

test('how long ago something was is told by its largest unit', () => {
  const { ago } = makeFormats('en', 'UTC');
  const at = (ms: number) => ago(noon, Date.parse(noon) + ms);
  expect(at(5_000)).toBe('5 sec. ago');
  expect(at(61_000)).toBe('1 min. ago');
  expect(at(2 * 3_600_000)).toBe('2 hr. ago');
  expect(at(86_400_000)).toBe('yesterday');
});

test('lengths leave out what is nothing', () => {
  expect([0, 59, 60, 75, 3_600, 3_725].map(duration)).toEqual([
    '0 s',
    '59 s',
    '1 min',
    '1 min 15 s',
    '1 h',
    '1 h 2 min 5 s',
  ]);
  expect([840, 1_440].map(milliseconds)).toEqual(['840 ms', '1.4 s']);
});
