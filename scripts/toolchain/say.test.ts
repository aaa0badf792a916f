import { expect, test } from 'vitest';
import { printable } from './say.ts';

test.each([
  ['\x1b[2J\x1b[1;1H', '\\u{1b}[2J\\u{1b}[1;1H'],
  ['\x1b]0;title\x07', '\\u{1b}]0;title\\u{7}'],
  ['\x9b31m', '\\u{9b}31m'],
  ['fixed\rbroken', 'fixed\\u{d}broken'],
  ['a\u202eb', 'a\\u{202e}b'],
  ['a\u2028b', 'a\\u{2028}b'],
])('what a terminal obeys is shown by its code', (text, shown) => {
  expect(printable(text)).toBe(shown);
});

test('lines, tabs and what people write in any language stay as they are', () => {
  const text = 'Größe\t½\n日本語 👩‍👩‍👧 שלום';
  expect(printable(text)).toBe(text);
});
