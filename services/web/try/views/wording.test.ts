import { expect, test } from 'vitest';
import { codeInWords, durationInWords, endReasonInWords, situationInWords } from './wording.ts';

test('durations are written as people say them', () => {
  expect([0, 59, 60, 61, 3600, 3725].map(durationInWords)).toEqual([
    '0 s',
    '59 s',
    '1 min 0 s',
    '1 min 1 s',
    '1 h 0 s',
    '1 h 2 min 5 s',
  ]);
});

test('a code without words is still shown', () => {
  expect(endReasonInWords('eaten_by_dog')).toContain('eaten_by_dog');
  expect(endReasonInWords(undefined)).toBe('The conversation is over.');
  expect(codeInWords('no_input')).toBe('No input');
});

test('without a connection nothing is said about the agent', () => {
  expect(situationInWords('talking', 'reconnecting', 'thinking')).toBe('Reconnecting');
  expect(situationInWords('talking', 'connected', 'thinking')).toBe('Connected, agent is thinking');
  expect(situationInWords('talking', 'connected', 'listening', true)).toBe('No answer yet, waiting for the connection');
  expect(situationInWords('talking', 'connected', undefined)).toContain('waiting for the agent');
});
