import { expect, test } from 'vitest';
import { openBookingBook } from './bookings.ts';
import { findOrder } from './orders.ts';

const now = () => new Date('2026-11-21T18:00:00Z');
const wish = { name: 'Ada', date: '2026-11-24', time: '19:30', guests: 4 };

test('a booking gets a reference number', () => {
  const { status, body } = openBookingBook(now).book(wish, undefined);
  expect(status).toBe(201);
  expect(body).toMatchObject({ ...wish, reference: expect.stringMatching(/^B-[A-Z0-9]{5}$/) });
});

test("a guest's own words for day and time are understood", () => {
  const { body } = openBookingBook(now).book({ ...wish, date: 'übermorgen', time: 'halb acht' }, undefined);
  expect(body).toMatchObject({ date: '2026-11-23', time: '19:30' });
});

test('the same idempotency key books once', () => {
  const book = openBookingBook(now);
  expect(book.book(wish, 'k1')).toEqual(book.book(wish, 'k1'));
  expect(book.book(wish, 'k2').body.reference).not.toBe(book.book(wish, 'k1').body.reference);
});

test('an idempotency key does not serve another booking', () => {
  const book = openBookingBook(now);
  book.book(wish, 'k1');
  expect(book.book({ ...wish, guests: 5 }, 'k1').status).toBe(422);
});

test.for([
  { date: '2026-02-31' },
  { date: 'someday' },
  { time: '25:00' },
  { time: '03:00' },
  { date: '2026-11-20' },
  { date: '2026-11-21', time: '18:30' },
  { guests: 0 },
  { guests: 40 },
  { name: ' ' },
])('a booking for %o is refused with a sentence', (change) => {
  const { status, body } = openBookingBook(now).book({ ...wish, ...change }, undefined);
  expect(status).toBe(422);
  expect(body.message).toEqual(expect.any(String));
});

test('an order is found however its number is written', () => {
  for (const id of ['A-1001', 'a1001', '1001', 'a 1001']) expect(findOrder(id, now()).body.id).toBe('A-1001');
  expect(findOrder('A-1001', now()).body).toMatchObject({ status: 'shipped', deliveryOn: '2026-11-22' });
});

test('an unknown order is not found', () => {
  expect(findOrder('A-9', now()).status).toBe(404);
  expect(findOrder('../x', now()).status).toBe(404);
});
