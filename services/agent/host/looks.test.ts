import { expect, test } from 'vitest';
import { channels } from '../../store/notify.ts';
import { isWorkFor, lookAtOthersEveryMs } from './looks.ts';

test('a host looks at few others more often than it polls, and at many once a second', () => {
  expect([0, 1, 4, 8, 16, 100].map(lookAtOthersEveryMs)).toEqual([250, 100, 250, 500, 1_000, 1_000]);
});

test('work that another host has been given concerns nobody else', () => {
  expect(isWorkFor('one', channels.work, 'one')).toBe(true);
  expect(isWorkFor('one', channels.work, '')).toBe(true);
  expect(isWorkFor('one', channels.work, 'other')).toBe(false);
  expect(isWorkFor('one', channels.session, 'one')).toBe(false);
});
