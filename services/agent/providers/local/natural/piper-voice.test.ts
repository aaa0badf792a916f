import { expect, test } from 'vitest';
import { piecesOf } from './piper-voice.ts';

test('the first piece of a long sentence is short, so that it is heard while the rest is made', () => {
  expect(
    piecesOf(
      'With pleasure, Mrs Miller: a table for four people on Friday, at half past seven, and a high chair for your son.',
    ),
  ).toEqual([
    'With pleasure, Mrs Miller:',
    'a table for four people on Friday, at half past seven, and a high chair for your son.',
  ]);
});

test('what is short is said in one breath', () => {
  expect(piecesOf('Yes, please.')).toEqual(['Yes, please.']);
  expect(piecesOf('Until 19:30, or 8.5 hours.')).toEqual(['Until 19:30, or 8.5 hours.']);
});
