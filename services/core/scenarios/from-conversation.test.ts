import { expect, test } from 'vitest';
import { draftFrom, type SourceConversation } from './from-conversation.ts';

const at = new Date('2026-11-21T10:20:30.400Z');
const definition: SourceConversation['definition'] = { defaultLanguage: 'en', tools: [] };

type Call = SourceConversation['toolCalls'][number];

/** What was said, in turn; a person's line that calls something has the calls beside it. */
function conversation(
  lines: (readonly ['USER' | 'ASSISTANT', string, Partial<Call>[]?])[],
  session: Partial<SourceConversation['session']> = {},
): SourceConversation {
  const toolCalls = lines.flatMap(([, , calls = []], sequence) =>
    calls.map((call): Call => ({ turn: sequence, name: 'find', arguments: {}, status: 'ok', result: '"x"', ...call })),
  );
  return {
    session: { language: 'en', end_reason: 'client_ended', created_at: at, started_at: at, ...session },
    messages: lines.map(([role, content], sequence) => ({ role, content, sequence })),
    toolCalls,
    definition,
  };
}

test('a greeting is no turn, and replies stand beside the turns they answer', () => {
  const draft = draftFrom(
    conversation([
      ['ASSISTANT', 'Hello.'],
      ['USER', 'Hi'],
      ['ASSISTANT', 'Yes?'],
    ]),
    'It greets',
  );
  expect(draft).toEqual({
    scenario: {
      ...{ name: 'It greets', language: 'en', now: '2026-11-21T10:20:30Z' },
      turns: [{ say: 'Hi' }],
      expect: { ended: false },
    },
    replies: ['Yes?'],
    notes: [],
  });
});

test('what failed fails again, what is unknown is not taken for a success, and what was cut stays a text', () => {
  const draft = draftFrom(
    conversation([
      ['USER', 'a', [{ name: 'one', status: 'failed', result: 'There is no such order.' }]],
      ['USER', 'b', [{ name: 'two', status: 'unknown', result: null }]],
      ['USER', 'c', [{ name: 'three', result: '{"long": "te… (cut)' }]],
    ]),
  );
  expect(draft?.scenario.tools).toEqual({
    one: { error: 'There is no such order.' },
    two: { error: 'It is not known whether this worked.' },
    three: { result: '{"long": "te… (cut)' },
  });
});

test('a tool that answers otherwise later ends the scenario before that, and says so', () => {
  const draft = draftFrom(
    conversation(
      [
        ['USER', 'a', [{}]],
        ['USER', 'b', [{ result: '"y"' }]],
        ['USER', 'c'],
      ],
      { end_reason: 'agent_ended' },
    ),
  );
  expect(draft?.scenario.turns.map(({ say }) => say)).toEqual(['a']);
  expect(draft?.scenario.expect).toBeUndefined();
  expect(draft?.notes).toEqual([expect.stringContaining('before turn 2')]);
});

test('the end and another language are expected, not called', () => {
  const draft = draftFrom(
    conversation(
      [
        ['USER', 'Deutsch bitte', [{ name: 'switch_language', arguments: { language: 'de-DE' } }]],
        ['USER', 'Tschüss', [{ name: 'end_call' }]],
      ],
      { end_reason: 'agent_ended', language: 'de-DE' },
    ),
  );
  expect(draft?.scenario).toMatchObject({
    language: 'en',
    turns: [{ say: 'Deutsch bitte', expect: { language: 'de-DE' } }, { say: 'Tschüss' }],
    expect: { ended: true },
  });
});

test('where nobody spoke there is no scenario', () => {
  expect(draftFrom(conversation([['ASSISTANT', 'Hello.']]))).toBeUndefined();
});
