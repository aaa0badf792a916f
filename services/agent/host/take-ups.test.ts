import { expect, test } from 'vitest';
import { TakeUps } from './take-ups.ts';

const lease = (session: string, epoch: number) => ({ session_id: session, epoch });

test('sessions that could not be joined count against the capacity, and are no joins', () => {
  const takeUps = new TakeUps();
  for (const session of ['a', 'b', 'c']) takeUps.begin(lease(session, 2));
  takeUps.begin(lease('new', 1));
  expect([takeUps.joins(0), takeUps.joins(1), takeUps.size]).toEqual([1, 3, 4]);
  takeUps.keepBack(lease('a', 2));
  takeUps.keepBack(lease('b', 2));
  expect([takeUps.joins(0), takeUps.joins(1), takeUps.size]).toEqual([1, 1, 4]);
});

test('one that is on its way, or is kept, is not begun again', () => {
  const takeUps = new TakeUps();
  expect(takeUps.begin(lease('a', 2))).toBe(true);
  expect(takeUps.begin(lease('a', 2))).toBe(false);
  takeUps.keepBack(lease('a', 2));
  expect(takeUps.begin(lease('a', 2))).toBe(false);
});

test('one that this host got again while it was giving it back is begun, and stays', () => {
  const takeUps = new TakeUps();
  takeUps.begin(lease('a', 2));
  takeUps.keepBack(lease('a', 2));
  expect(takeUps.begin(lease('a', 3))).toBe(true);
  takeUps.givenBack(lease('a', 2));
  expect([takeUps.joins(1), takeUps.size]).toEqual([1, 1]);
  takeUps.joined(lease('a', 3));
  expect(takeUps.size).toBe(0);
});
