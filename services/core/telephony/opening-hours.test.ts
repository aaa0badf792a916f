import { expect, test } from 'vitest';
import { faultOfHours } from '../../contract/opening-hours.ts';
import type { OpeningHours } from '../../contract/telephony.ts';
import { isOpen } from './opening-hours.ts';

const weekdays: OpeningHours = {
  zone: 'Europe/Berlin',
  open: [
    { days: ['mon', 'tue', 'wed', 'thu', 'fri'], from: '09:00', to: '12:00' },
    { days: ['mon', 'fri'], from: '22:00', to: '24:00' },
  ],
};

test.each([
  ['before it opens, summer', '2026-07-06T06:59:59Z', false],
  ['when it opens, summer', '2026-07-06T07:00:00Z', true],
  ['before it opens, winter', '2026-11-23T07:59:59Z', false],
  ['when it opens, winter', '2026-11-23T08:00:00Z', true],
  ['when it closes', '2026-11-23T11:00:00Z', false],
  ['in the last minute of the day', '2026-11-23T22:59:59Z', true],
  ['at midnight, the next day there', '2026-11-23T23:00:00Z', false],
  ['on Sunday there, which is Saturday in UTC', '2026-11-21T23:30:00Z', false],
  ['on Sunday', '2026-11-22T09:00:00Z', false],
])('%s', (_, at, open) => {
  expect(isOpen(weekdays, new Date(at))).toBe(open);
});

test('a number without hours is always open, one with none is always closed', () => {
  expect(isOpen(null, new Date())).toBe(true);
  expect(isOpen({ zone: 'UTC', open: [] }, new Date())).toBe(false);
});

test('hours that can’t be are told', () => {
  expect(faultOfHours(weekdays)).toBeUndefined();
  expect(faultOfHours({ zone: 'Berlin', open: [] })).toMatch(/IANA/);
  expect(faultOfHours({ zone: 'UTC', open: [{ days: ['mon'], from: '22:00', to: '06:00' }] })).toMatch(/two/);
});
