import { expect, test } from 'vitest';
import { Sentences } from './sentences.ts';

const cut = (language: string, ...pieces: string[]): string[] => {
  const sentences = new Sentences(language);
  return [...pieces.flatMap((piece) => sentences.push(piece)), ...sentences.end()];
};

test('a sentence is complete when the next one has begun', () => {
  const sentences = new Sentences('en');
  expect(sentences.push('We are open until ten. ')).toEqual([]);
  expect(sentences.push('Shall I')).toEqual(['We are open until ten. ']);
  expect(sentences.push(' book a table?')).toEqual([]);
  expect(sentences.end()).toEqual(['Shall I book a table?']);
  expect(sentences.end()).toEqual([]);
});

test('the point after a number ends no sentence', () => {
  expect(cut('de', 'Ihr Tisch ist am 24. November um acht. Bis dann im Gasthaus!')).toEqual([
    'Ihr Tisch ist am 24. November um acht. ',
    'Bis dann im Gasthaus!',
  ]);
});

test('short pieces are said together with what follows', () => {
  expect(cut('en', 'Done! A table for four. We look forward to it.')).toEqual([
    'Done! A table for four. ',
    'We look forward to it.',
  ]);
});

test('a text without an end is cut between words', () => {
  const pieces = cut('en', 'word '.repeat(300));
  expect(pieces.length).toBeGreaterThan(2);
  expect(pieces.every((piece) => piece.length <= 400)).toBe(true);
  expect(pieces.join('')).toBe('word '.repeat(300));
});

test('the marks within an address end no sentence', () => {
  expect(cut('en', 'It is at https://example.com/menu?', 'x=one. Shall I book a table?')).toEqual([
    'It is at https://example.com/menu?x=one. ',
    'Shall I book a table?',
  ]);
});
