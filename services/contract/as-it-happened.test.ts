import { expect, test } from 'vitest';
import { asItHappened } from './as-it-happened.ts';

const order = (...lines: [name: string, turn: number, at: number][]) =>
  asItHappened(lines, ([, turn, at]) => ({ turn, at: new Date(at) })).map(([name]) => name);

test('an answer comes before the text that was written after reading it, whichever was stored first', () => {
  expect(order(['one', 1, 10], ['two', 2, 31], ['to one', 1, 30], ['to two', 2, 40])).toEqual([
    ...['one', 'to one', 'two', 'to two'],
  ]);
});

test('a text that was written while an answer was given stays before its end', () => {
  expect(order(['one', 1, 10], ['two', 2, 20], ['to one', 1, 30])).toEqual(['one', 'two', 'to one']);
});

test('within a turn a clock that is a few milliseconds off changes nothing', () => {
  expect(order(['asked', 1, 10], ['one moment', 1, 24], ['call', 1, 22], ['done', 1, 30])).toEqual([
    ...['asked', 'one moment', 'call', 'done'],
  ]);
});

test('lines that answer nothing have their own times', () => {
  expect(order(['late', 0, 30], ['early', 0, 10], ['text', 3, 20])).toEqual(['early', 'text', 'late']);
});
