import { expect, test } from 'vitest';
import { joinedAt, leftAt } from './room-event-time.ts';

const now = new Date('2026-11-21T10:00:05.400Z');
const ms = now.getTime();

test('a join is when the room server saw it, and never in our future', () => {
  expect(joinedAt(now, ms - 120).getTime()).toBe(ms - 120);
  expect(joinedAt(now, ms + 5_000)).toEqual(now);
  expect(joinedAt(now, 0)).toEqual(now);
});

test('a leave is now, because the event knows only whole seconds, unless it was long on its way', () => {
  expect(leftAt(now, Math.floor(ms / 1000) * 1000)).toEqual(now);
  expect(leftAt(now, Math.floor(ms / 1000) * 1000 - 1_000)).toEqual(now);
  expect(leftAt(now, Math.floor(ms / 1000) * 1000 - 30_000).toISOString()).toBe('2026-11-21T09:59:35.000Z');
  expect(leftAt(now, 0)).toEqual(now);
});
