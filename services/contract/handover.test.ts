import { expect, test } from 'vitest';
import { handoverSeconds } from './handover.ts';

test('a host that carries more has more time to give it away', () => {
  expect(handoverSeconds(0)).toBe(25);
  expect(handoverSeconds(25)).toBe(35);
  expect(handoverSeconds(200)).toBe(105);
});
