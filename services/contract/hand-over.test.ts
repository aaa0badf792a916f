import { expect, test } from 'vitest';
import { handOverSeconds } from './hand-over.ts';

test('a host that carries more has more time to give it away', () => {
  expect(handOverSeconds(0)).toBe(25);
  expect(handOverSeconds(25)).toBe(35);
  expect(handOverSeconds(200)).toBe(105);
});
