import { expect, test } from 'vitest';
import type { CompiledAgent, CompiledTool, ScriptRule } from '../../agent-files/definition/compiled.ts';
import { type Conversed, outcomeByRules } from './outcome.ts';

const tool = (name: string, builtin?: CompiledTool['builtin']): CompiledTool => ({
  ...{ name, description: '', parameters: {}, timeoutMs: 1, idempotent: false },
  ...(builtin ? { builtin } : {}),
});
const rule = (say: string, outcome: ScriptRule['outcome']): ScriptRule => ({
  ...{ when: ['x'], needs: [], say: { en: say }, failed: {}, end: false },
  ...(outcome ? { outcome } : {}),
});
const definition: Pick<CompiledAgent, 'tools' | 'script'> = {
  tools: [tool('book_table'), tool('end_call', 'end_call'), tool('to_human', 'transfer')],
  script: {
    fallback: {},
    rules: [
      rule('Your table for {{people}} at {{time}} is booked.', 'resolved'),
      rule('{{anything}}', 'failed'),
      rule('Sorry, we are full on {{day}}.', 'unresolved'),
    ],
  },
};
const conversed = (given: Partial<Conversed>): Conversed => ({
  ...{ endReason: 'client_ended', lines: [], toolCalls: [], definition: { tools: definition.tools } },
  ...given,
});
const user = (content: string) => ({ role: 'USER' as const, content });
const agent = (content: string) => ({ role: 'ASSISTANT' as const, content });

test('a fault of ours is a failure, whatever was said', () => {
  for (const endReason of ['provider_failed', 'agent_unavailable', 'room_lost'] as const)
    expect(outcomeByRules(conversed({ endReason, lines: [user('hi'), agent('Goodbye!')] }))).toBe('failed');
});

test('a hand-over that worked is a transfer', () => {
  const lines = [user('a human please')];
  expect(outcomeByRules(conversed({ lines, toolCalls: [{ name: 'to_human', status: 'ok' }] }))).toBe('transferred');
  expect(outcomeByRules(conversed({ lines, toolCalls: [{ name: 'to_human', status: 'failed' }] }))).toBe('unresolved');
});

test('silence of the person is no input', () => {
  expect(outcomeByRules(conversed({ lines: [agent('Hello?')] }))).toBe('no_input');
});

test('a tool that worked and a goodbye are resolved; a tool that failed is not', () => {
  const lines = [user('a table'), agent('Done. Auf Wiedersehen!')];
  expect(outcomeByRules(conversed({ lines, toolCalls: [{ name: 'book_table', status: 'ok' }] }))).toBe('resolved');
  expect(outcomeByRules(conversed({ lines, toolCalls: [{ name: 'book_table', status: 'failed' }] }))).toBe(
    'unresolved',
  );
  // Nobody knows whether there is a table.
  expect(outcomeByRules(conversed({ lines, toolCalls: [{ name: 'book_table', status: 'unknown' }] }))).toBe(
    'unresolved',
  );
});

test('words without a deed leave the outcome unknown, and a text without an answer leaves it open', () => {
  expect(outcomeByRules(conversed({ lines: [user('hi'), agent('Hello.')] }))).toBe('unknown');
  expect(outcomeByRules(conversed({ lines: [user('hi'), agent('Hello.'), user('and?')] }))).toBe('unresolved');
  expect(outcomeByRules(conversed({ endReason: 'max_duration', lines: [user('hi'), agent('Hello.')] }))).toBe(
    'unresolved',
  );
});

test('a scripted rule is recognised by what it said, with its placeholders filled; the last one counts', () => {
  const booked = agent('Your table for 4 at 7 pm is booked.');
  const full = agent('Sorry, we are full on Friday.');
  expect(outcomeByRules(conversed({ definition, lines: [user('a'), full, user('b'), booked] }))).toBe('resolved');
  expect(outcomeByRules(conversed({ definition, lines: [user('a'), booked, user('b'), full] }))).toBe('unresolved');
  expect(outcomeByRules(conversed({ definition, lines: [user('a'), agent('Something else.')] }))).toBe('unknown');
});
