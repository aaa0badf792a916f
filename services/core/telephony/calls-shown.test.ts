import { expect, test } from 'vitest';
import type { CallShown } from '../../contract/telephony.ts';
import { withNumbers } from './calls-shown.ts';

const call = (from: string): CallShown => ({ direction: 'inbound', from, to: '+4930123456' }) as CallShown;

test.each([
  ['+491701234567', '…67'],
  ['01701234567', '…67'],
  ['00491701234567', '…67'],
  ['112', '…12'],
  ['ada l', '…'],
  ['anonymous', 'anonymous'],
])('of a caller as a carrier may name them (%s) whoever may not see numbers sees %s', (from, shown) => {
  expect(withNumbers(call(from), false)).toEqual(call(shown));
  expect(withNumbers(call(from), true)).toEqual(call(from));
});
