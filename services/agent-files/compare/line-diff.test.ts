import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type DiffLine, diffLines } from './line-diff.ts';

const drawn = (lines: readonly DiffLine[]) => {
  const signs = { same: ' ', removed: '-', added: '+', skipped: '~' };
  return lines.map(({ kind, text }) => `${signs[kind]}${text}`);
};

test('a changed line is shown with what is around it, and the rest is counted', () => {
  const before = ['1', '2', '3', '4', '5', '6', '7'].join('\n');
  expect(drawn(diffLines(before, before.replace('5', 'five'), 1))).toEqual([
    '~3 lines',
    ' 4',
    '-5',
    '+five',
    ' 6',
    '~1 line',
  ]);
});

test('equal texts have no difference, and an empty text has no lines', () => {
  expect(diffLines('a\nb', 'a\nb')).toEqual([]);
  expect(drawn(diffLines('', 'a\nb'))).toEqual(['+a', '+b']);
});

test('what is not added makes the first text, and what is not removed the second', () => {
  const text = fc.array(fc.constantFrom('a', 'b', 'c', '')).map((lines) => lines.join('\n'));
  const side = (lines: readonly DiffLine[], without: DiffLine['kind']) =>
    lines.filter(({ kind }) => kind !== without).map((line) => line.text);
  fc.assert(
    fc.property(text, text, (before, after) => {
      if (before === after) return;
      const lines = diffLines(before, after, Number.POSITIVE_INFINITY);
      expect(side(lines, 'added')).toEqual(before === '' ? [] : before.split('\n'));
      expect(side(lines, 'removed')).toEqual(after === '' ? [] : after.split('\n'));
    }),
  );
});

test('long texts without anything in common are told in time', () => {
  const long = (word: string) => Array.from({ length: 20_000 }, (_, n) => `${word} ${n}`).join('\n');
  expect(diffLines(long('before'), long('after'))).toHaveLength(40_000);
});
