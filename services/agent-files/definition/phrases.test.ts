import { expect, test } from 'vitest';
import type { AgentFile } from '../../contract/generated/agent.ts';
import { checkPhrases } from '../check/phrases.ts';
import { piecesOfPhrase } from './phrases.ts';

test('a phrase is its words and its slots; signs are not spoken', () => {
  expect(piecesOfPhrase("Hi! I'd like a table for { few } people, please.")).toEqual([
    ...['Hi', "I'd", 'like', 'a', 'table', 'for'].map((said) => ({ said })),
    { slot: 'few' },
    { said: 'people' },
    { said: 'please' },
  ]);
  expect(piecesOfPhrase('{day}')).toEqual([{ slot: 'day' }]);
});

test('a phrase that nobody could say is refused with its place', () => {
  const languages = [{ code: 'en', name: 'English', phrases: ['hello', 'on {date}', '?!'] }];
  expect(checkPhrases({ languages } as unknown as AgentFile)).toEqual([
    {
      path: ['languages', '0', 'phrases', '1'],
      rule: 'phrase',
      message:
        'Nothing is known that could be said for {date}. Known: {number}, {few}, {ordinal}, {clock}, {day}, {name}.',
    },
    { path: ['languages', '0', 'phrases', '2'], rule: 'phrase', message: 'There is no word in this phrase.' },
  ]);
});
