import { expect, test } from 'vitest';
import { marks, textsOfPattern } from './texts-of-pattern.ts';

const { gap, number, letters, boundary, edge } = marks;

test.each([
  ['yes|no', ['yes', 'no']],
  [
    '(?:cancel|move).{0,30}(?:table|booking)',
    [`cancel${gap}table`, `cancel${gap}booking`, `move${gap}table`, `move${gap}booking`],
  ],
  ['\\bbook\\b', [`${boundary}book${boundary}`]],
  ['^hello$', [`${edge}hello${edge}`]],
  ['good ?bye', ['goodbye', 'good bye']],
  ['allerg|intoleran', ['allerg', 'intoleran']],
  ['(?<guests>\\d{1,2}|two) people', [`${number} people`, 'two people']],
  ['at (?<time>\\d{1,2}(?::\\d{2})?)', [`at ${number}`, `at ${number}:${number}`]],
  ['jan\\p{L}{0,6}', [`jan${letters}`]],
  ['my name is (?<name>\\p{L}[\\p{L}.-]{1,30})', [`my name is ${letters}${letters}`]],
  ['(?<!guten )morgen(?! früh)', ['morgen']],
  ['nut[- ]free', ['nut free']],
  ['[^\\d?]{0,30}?', [gap]],
  ['one\\.two', ['one.two']],
])('%s', (pattern, texts) => {
  expect(textsOfPattern(pattern)).toEqual(texts);
});

test('a pattern with a thousand ways to match gives some of each part', () => {
  const ten = `(?:${Array.from({ length: 10 }, (_, index) => `w${index}`).join('|')})`;
  const texts = textsOfPattern(`${ten} ${ten} ${ten} ${ten}`);
  expect(texts.length).toBeLessThanOrEqual(400);
  expect(texts.some((text) => text.startsWith('w9'))).toBe(true);
  expect(texts.some((text) => text.endsWith('w9'))).toBe(true);
});
