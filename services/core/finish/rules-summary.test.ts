import { expect, test } from 'vitest';
import type { Conversed } from './outcome.ts';
import { plainLine } from './plain-text.ts';
import { summaryByRules } from './rules-summary.ts';

const conversed: Conversed = {
  endReason: 'agent_ended',
  lines: [
    { role: 'ASSISTANT', content: 'Hello.' },
    { role: 'USER', content: 'A table\nfor two' },
    { role: 'USER', content: 'at seven' },
    { role: 'ASSISTANT', content: 'Booked.' },
  ],
  toolCalls: [
    { name: 'book_table', status: 'ok' },
    { name: 'find_guest', status: 'failed' },
  ],
  definition: undefined,
};

test('by rules: what was said first and last, what was done, how it ended', () => {
  expect(summaryByRules(conversed)).toBe(
    'The person said 2 things, first “A table for two”, last “at seven”. The agent used book_table, find_guest (failed). The agent ended it.',
  );
  expect(summaryByRules({ ...conversed, lines: [], toolCalls: [], endReason: 'participant_left' })).toBe(
    'The person said nothing. The person left.',
  );
});

test('by rules: what the agent noted', () => {
  const notes = new Map([
    ['guests', '4'],
    ['phone', '+49 30 1'],
  ]);
  expect(summaryByRules({ ...conversed, notes })).toContain(
    'The agent noted guests: “4”, phone: “+49 30 1”. The agent ended',
  );
});

test('text becomes one readable line of bounded length', () => {
  expect(plainLine('a\u0000\u001b[31mb\u202ec\r\n\t d', 50)).toBe('a [31mb c d');
  expect(plainLine('x'.repeat(1_000_000), 10)).toBe(`${'x'.repeat(9)}…`);
  expect([...plainLine('👋'.repeat(50), 10)]).toHaveLength(10);
});
