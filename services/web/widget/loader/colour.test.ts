import { expect, test } from 'vitest';
import { readableOn } from '../app/readable.ts';
import { contrast, inkOn } from './colour.ts';

/** Every 17th value of each part: 4096 colours. */
const colours = Array.from({ length: 16 ** 3 }, (_, index) => {
  const part = (shift: number) => (((index >> shift) & 15) * 17).toString(16).padStart(2, '0');
  return `#${part(8)}${part(4)}${part(0)}`;
});

test('black on white has the greatest contrast there is, and a colour on itself none', () => {
  expect(contrast('#000000', '#ffffff')).toBeCloseTo(21, 5);
  expect(contrast('#1f5fbf', '#1f5fbf')).toBe(1);
});

test('what is written on any colour can be read', () => {
  expect(colours.filter((colour) => contrast(inkOn(colour), colour) < 4.5)).toEqual([]);
});

test.for(['#ffffff', '#17181c'])('any colour, moved as far as it takes, can be read on %s', (ground) => {
  expect(colours.filter((colour) => contrast(readableOn(ground, colour), ground) < 4.5)).toEqual([]);
});

test('a colour that can be read stays as it is', () => {
  expect(readableOn('#ffffff', '#1f5fbf')).toBe('#1f5fbf');
});
