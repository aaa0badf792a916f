import { expect, test } from 'vitest';
import { patienceMs } from './patience.ts';

const silences = { endMs: 400, unfinishedMs: 3_000 };

test('a turn is over after the usual silence, and after more when it sounds unfinished or its words are open', () => {
  expect(patienceMs({ bySound: 0.9, byWords: 'unknown' }, silences)).toBe(400);
  expect(patienceMs({ bySound: 0.1, byWords: 'unknown' }, silences)).toBe(3_000);
  expect(patienceMs({ bySound: 0.9, byWords: 'open' }, silences)).toBe(3_000);
});

test('a question is over, whatever its melody says', () => {
  expect(patienceMs({ bySound: 0.1, byWords: 'finished' }, silences)).toBe(400);
});

test('words are waited for, but no longer than an unfinished turn, and never less than the usual silence', () => {
  expect(patienceMs({}, silences)).toBe(1_000);
  expect(patienceMs({ bySound: 0.9 }, { endMs: 400, unfinishedMs: 500 })).toBe(500);
  expect(patienceMs({}, { endMs: 2_000, unfinishedMs: 3_000 })).toBe(2_000);
});
