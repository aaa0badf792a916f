import { expect, test } from 'vitest';
import { spaceOf } from './disk-space.ts';

test('a disk is scarce before it is full', () => {
  const mebibyte = 2 ** 20;
  expect([300, 255, 17, 15, 0].map((free) => spaceOf(free * mebibyte))).toEqual([
    'enough',
    'scarce',
    'scarce',
    'full',
    'full',
  ]);
});
