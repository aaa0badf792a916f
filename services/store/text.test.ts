import { expect, test } from 'vitest';
import { storable } from './text.ts';

test.each([
  ['a plain text, with ümlauts and 🙂', 'a plain text, with ümlauts and 🙂'],
  ['before\0after\0', 'beforeafter'],
  ['\0', ''],
  ['cut \ud83d', 'cut \ufffd'],
  ['\ude42 cut', '\ufffd cut'],
])('%j is stored as %j', (given, stored) => {
  expect(storable(given)).toBe(stored);
});
