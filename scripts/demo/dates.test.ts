import { expect, test } from 'vitest';
import { understandDay } from './dates.ts';
import { understandTime } from './times.ts';

/** A Saturday. */
const today = '2026-11-21';

test.for([
  ['2026-11-24', '2026-11-24'],
  ['2026-11-4', '2026-11-04'],
  ['today', '2026-11-21'],
  ['tonight', '2026-11-21'],
  ['heute Abend', '2026-11-21'],
  ['tomorrow', '2026-11-22'],
  ['Morgen', '2026-11-22'],
  ['morgen mittag', '2026-11-22'],
  ['the day after tomorrow', '2026-11-23'],
  ['übermorgen', '2026-11-23'],
  ['Friday', '2026-11-27'],
  ['on Friday', '2026-11-27'],
  ['next Friday', '2026-11-27'],
  ['saturday', '2026-11-21'],
  ['next saturday', '2026-11-28'],
  ['Sonnabend', '2026-11-21'],
  ['24.11.', '2026-11-24'],
  ['24.12.2027', '2027-12-24'],
  ['24. Dezember', '2026-12-24'],
  ['3rd of March', '2027-03-03'],
  ['24 November', '2026-11-24'],
  ['November 24th', '2026-11-24'],
  ['Feb 28', '2027-02-28'],
] as const)('"%s" is %s', ([text, day]) => {
  expect(understandDay(text, today)).toBe(day);
});

test.for(['2026-02-31', '30 February', '45.1.', 'someday', '', '24', 'monday tuesday'])('"%s" is no day', (text) => {
  expect(understandDay(text, today)).toBeUndefined();
});

test.for([
  ['19:30', '19:30'],
  ['7:30', '19:30'],
  ['07:30', '07:30'],
  ['7:30 pm', '19:30'],
  ['7 pm', '19:00'],
  ['11 am', '11:00'],
  ['12 pm', '12:00'],
  ['19 Uhr', '19:00'],
  ['19.30 Uhr', '19:30'],
  ['19 Uhr 30', '19:30'],
  ["eight o'clock", '20:00'],
  ['8', '20:00'],
  ['eight', '20:00'],
  ['acht', '20:00'],
  ['at half past seven', '19:30'],
  ['quarter to 8', '19:45'],
  ['halb acht', '19:30'],
  ['viertel nach sieben', '19:15'],
  ['viertel vor acht', '19:45'],
  ['dreiviertel acht', '19:45'],
  ['noon', '12:00'],
  ['mittags', '12:00'],
  ['halb eins', '12:30'],
] as const)('"%s" is %s', ([text, time]) => {
  expect(understandTime(text)).toBe(time);
});

test.for(['25:00', '19:75', 'later', '', '13 pm', '-3'])('"%s" is no time', (text) => {
  expect(understandTime(text)).toBeUndefined();
});
