import { expect, test } from 'vitest';
import { readDay, readTime } from './spoken-times.ts';

/** A Saturday, 00:30 in Berlin, while it is still Friday in UTC. */
const now = new Date('2026-11-20T23:30:00Z');

test.each([
  ['2026-12-24', '2026-12-24'],
  ['today', '2026-11-21'],
  ['heute Abend', '2026-11-21'],
  ['Tomorrow', '2026-11-22'],
  ['morgen', '2026-11-22'],
  ['übermorgen', '2026-11-23'],
  ['the day after tomorrow', '2026-11-23'],
  ['Saturday', '2026-11-21'],
  ['next Friday', '2026-11-27'],
  ['Freitag', '2026-11-27'],
  ['24.11.', '2026-11-24'],
  ['24.11.2027', '2027-11-24'],
  ['24 November', '2026-11-24'],
  ['24. Dezember', '2026-12-24'],
  ['3rd of March', '2027-03-03'],
  ['March 3', '2027-03-03'],
  ['31.2.', undefined],
  ['soon', undefined],
])('the day "%s" is %s', (spoken, day) => {
  expect(readDay(spoken, now, 'Europe/Berlin')).toBe(day);
});

test.each([
  ['19:30', '19:30'],
  ['7:30 pm', '19:30'],
  ['7', '19:00'],
  ['7 p.m.', '19:00'],
  ['at eight', '20:00'],
  ['19 Uhr', '19:00'],
  ['19 Uhr 30', '19:30'],
  ['19.30 Uhr', '19:30'],
  ['halb acht', '19:30'],
  ['Viertel vor acht', '19:45'],
  ['half past seven', '19:30'],
  ['noon', '12:00'],
  ['12', '12:00'],
  ['11 am', '11:00'],
  ['03:00', '03:00'],
  ['25:00', undefined],
  ['whenever', undefined],
])('the time "%s" is %s', (spoken, time) => {
  expect(readTime(spoken)).toBe(time);
});
