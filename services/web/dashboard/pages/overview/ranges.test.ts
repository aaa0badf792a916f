import { expect, test } from 'vitest';
import { askedFor, rangeIn } from './ranges.ts';

test('a range is whole buckets, the one that goes on among them', () => {
  const now = Date.parse('2026-11-22T13:45:00Z');
  expect(askedFor('24h', now)).toEqual({
    ...{ bucket: 'hour', from: '2026-11-21T14:00:00.000Z', to: '2026-11-22T14:00:00.000Z' },
  });
  expect(askedFor('7d', now)).toEqual({
    ...{ bucket: 'day', from: '2026-11-16T00:00:00.000Z', to: '2026-11-23T00:00:00.000Z' },
  });
});

test('an address that names no range means the usual one', () => {
  expect([rangeIn('30d'), rangeIn('constructor'), rangeIn(undefined)]).toEqual(['30d', '7d', '7d']);
});
