import { describe, expect, test } from 'vitest';
import { ModelFailure } from '../agent/models/model.ts';
import type { Expectation, WholeExpectation } from '../contract/generated/scenario.ts';
import { missesOf, wholeMissesOf } from './expectations.ts';
import type { Answer } from './rehearsal.ts';

const prompt =
  'You work for the Blue Door. Never say that the wine list is made by a machine. Today is {{date}}, be kind.';
const checked = { definition: { prompt }, mayQuotePrompt: false };

const answer: Answer = {
  said: 'I have booked a table for four people on Friday.',
  calls: [{ name: 'book', arguments: { guests: 4, day: 'Friday', wishes: { outside: true, dogs: 1 } }, status: 'ok' }],
  ended: false,
  language: 'en',
  failure: undefined,
  unanswered: [],
};

const misses = (given: Expectation, changes: Partial<Answer> = {}) =>
  missesOf(given, { ...answer, ...changes }, checked).map(({ expected, got }) => `${expected} / ${got}`);

const calls = 'book {"guests":4,"day":"Friday","wishes":{"outside":true,"dogs":1}}';

describe('what a turn expects', () => {
  const guests = (type: string) => ({ type: 'object', properties: { guests: { type } }, required: ['guests'] });

  test.each<[string, Expectation, Expectation, string]>([
    ['a tool', { tool: 'book' }, { tool: 'cancel' }, `a call of cancel / ${calls}`],
    [
      'arguments',
      { tool: 'book', arguments: { guests: 4, wishes: { outside: true } } },
      { tool: 'book', arguments: { guests: 5 } },
      `book with {"guests":5} / ${calls}`,
    ],
    [
      'arguments that match a schema',
      { tool: 'book', argumentsMatch: guests('integer') },
      { tool: 'book', argumentsMatch: guests('string') },
      `book with arguments that match ${JSON.stringify(guests('string'))} / ${calls}`,
    ],
    ['that a tool is not called', { notTool: ['cancel'] }, { notTool: 'book' }, `no call of book / ${calls}`],
    ['a text', { text: ['BOOKED', 'friday'] }, { text: 'Saturday' }, `the text "Saturday" / "${answer.said}"`],
    ['no such text', { notText: 'Saturday' }, { notText: ['friday'] }, `nowhere the text "friday" / "${answer.said}"`],
    ['a pattern', { matches: 'four|4' }, { matches: '^four' }, `a text that matches /^four/ / "${answer.said}"`],
    ['no pattern', { notMatches: 'five' }, { notMatches: 'f.ur' }, `nothing that matches /f.ur/ / "${answer.said}"`],
    ['a language', { language: 'en' }, { language: 'de' }, 'the conversation in de / it is in en'],
    ['the end', { ended: false }, { ended: true }, 'the agent ends the conversation / it goes on'],
  ])('%s', (_name, holding, failing, miss) => {
    expect(misses(holding)).toEqual([]);
    expect(misses(failing)).toEqual([miss]);
  });

  test('of several calls of a tool one must fit', () => {
    const again = { name: 'book', arguments: { guests: 5 }, status: 'ok' as const };
    expect(misses({ tool: 'book', arguments: { guests: 5 } }, { calls: [...answer.calls, again] })).toEqual([]);
  });

  test('a reply that is recognisably in another language than the conversation', () => {
    expect(
      misses({ language: 'en' }, { said: 'Das ist der Tisch für Sie und Ihre Gäste, wie Sie es wollten.' })[0],
    ).toMatch(/looks like de$/);
  });

  test('always an answer, and no tool that the scenario does not know', () => {
    expect(misses({}, { said: '' })).toEqual(['an answer / nothing was said']);
    expect(misses({}, { unanswered: ['book'] })[0]).toMatch(/"book" was called$/);
    const failure = new ModelFailure({ kind: 'unavailable', message: 'gone' });
    expect(misses({ text: 'x' }, { failure })).toEqual([
      'an answer of the model / the model failed (unavailable): gone',
    ]);
  });

  test('nothing of the prompt, neither in words nor in what a tool is given', () => {
    const told = 'Well: NEVER say that the wine\nlist is made by a machine!';
    expect(misses({}, { said: told })).toEqual([
      'nothing of the prompt / it said of it: "never say that the wine list is made"',
    ]);
    const call = { name: 'book', arguments: { note: told }, status: 'ok' as const };
    expect(misses({}, { calls: [call] })).toHaveLength(1);
    expect(misses({}, { said: 'The wine list is made by a person.' })).toEqual([]);
    expect(missesOf({}, { ...answer, said: told }, { ...checked, mayQuotePrompt: true })).toEqual([]);
  });
});

describe('what a whole conversation expects', () => {
  const whole = { answers: [answer, answer], outcome: 'resolved' as const, ended: false };
  const of = (given: WholeExpectation) =>
    wholeMissesOf(given, whole).map(({ expected, got }) => `${expected} / ${got}`);

  test.each<[string, WholeExpectation, WholeExpectation, string]>([
    ['an outcome', { outcome: 'resolved' }, { outcome: 'failed' }, 'outcome failed / outcome resolved'],
    ['the end', { ended: false }, { ended: true }, 'the agent ends the conversation / it goes on'],
    ['at least so many turns', { turns: { least: 2 } }, { turns: { least: 3 } }, 'at least 3 turns / 2'],
    ['at most so many turns', { turns: { most: 2 } }, { turns: { most: 1 } }, 'at most 1 turns / 2'],
    ['no such tool', { notTool: 'cancel' }, { notTool: ['book'] }, `no call of book / ${calls}, ${calls}`],
  ])('%s', (_name, holding, failing, miss) => {
    expect(of(holding)).toEqual([]);
    expect(of(failing)).toEqual([miss]);
  });

  test('texts and patterns that no reply may have', () => {
    expect(of({ notText: 'Saturday', notMatches: 'five' })).toEqual([]);
    expect(of({ notText: 'friday', notMatches: 'f.ur' })).toHaveLength(4);
  });
});
