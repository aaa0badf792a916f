import { expect, test } from 'vitest';
import { phraseOf } from './phrases.ts';
import { marks, textsOfPattern } from './texts-of-pattern.ts';

const word = (text: string, openStart = false, openEnd = false) => ({ word: text, openStart, openEnd });
const slot = (name: string) => ({ slot: name });

/** The first phrase of a pattern, as a person may say it. */
const read = (pattern: string) => phraseOf(textsOfPattern(pattern)[0] ?? '')?.parts;

test('a word goes on where the pattern does not end it', () => {
  expect(read('allerg')).toEqual([word('allerg', true, true)]);
  expect(read('\\bnuts\\b')).toEqual([word('nuts')]);
  expect(read('jan\\p{L}{0,6}')).toEqual([word('jan', true, true)]);
  expect(read('a table')).toEqual([word('a', true), word('table', false, true)]);
});

test('"anything" between words may be little words; at the ends it is left out', () => {
  expect(read('cancel.{0,30}booking')).toEqual([word('cancel', true, true), slot('gap'), word('booking', true, true)]);
  expect(read('.*\\bbooking\\b.*')).toEqual([word('booking')]);
});

test('figures are numbers, days and times', () => {
  expect(read('\\d{1,2} people\\b')).toEqual([slot('number'), word('people')]);
  expect(read('1[3-9] people\\b')).toEqual([slot('number'), word('people')]);
  expect(read('\\d{1,2}:\\d{2}')).toEqual([slot('clock')]);
  expect(read('\\d{1,2}th\\b')).toEqual([slot('ordinal')]);
  expect(read('\\d{1,2}\\. november\\b')).toEqual([slot('ordinal'), word('november')]);
});

test('a date in figures alone is not something that people say', () => {
  expect(read('\\d{4}-\\d{1,2}-\\d{1,2}')).toBeUndefined();
});

test('letters by themselves are a name', () => {
  expect(read('\\bname is (?<name>\\p{L}[\\p{L}.-]{1,30})')).toEqual([word('name'), word('is'), slot('name')]);
});

test.each([
  ['^hello$', { isFirst: true, isLast: true }],
  ['^hello', { isFirst: true, isLast: false }],
  ['hello$', { isFirst: false, isLast: true }],
  ['\\bhello\\b', { isFirst: false, isLast: false }],
])('nothing may be said before the beginning and after the end that a pattern names: %s', (pattern, edges) => {
  expect(phraseOf(textsOfPattern(pattern)[0] ?? '')).toMatchObject(edges);
});

test('a text without anything to say is no phrase', () => {
  expect(phraseOf(marks.gap)).toBeUndefined();
  expect(phraseOf('')).toBeUndefined();
});
