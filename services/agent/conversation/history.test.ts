import { llm } from '@livekit/agents';
import { describe, expect, test } from 'vitest';
import { fillerKey } from '../../contract/filler-key.ts';
import type { MessageRow } from '../../store/tables/messages.ts';
import type { ToolCallRow } from '../../store/tables/tool-calls.ts';
import { cutShort, outcomeUnknown, toChatItems, unanswered, wasBegun } from './history.ts';

const at = new Date('2026-03-01T10:00:00Z');

const message = (row: Partial<MessageRow> & Pick<MessageRow, 'sequence' | 'role' | 'content'>): MessageRow => ({
  session_id: 's',
  source: 'host',
  at,
  message_key: null,
  turn: row.role === 'USER' ? row.sequence : 0,
  answered_at: null,
  interrupted: false,
  mode: 'TEXT',
  timing: null,
  draft: null,
  ...row,
});

const call = (row: Partial<ToolCallRow> & Pick<ToolCallRow, 'id' | 'sequence'>): ToolCallRow => ({
  session_id: 's',
  turn: 2,
  ordinal: 1,
  epoch: 1,
  name: 'book',
  arguments: { guests: 4 },
  status: 'ok',
  result: '{"reference":"R1"}',
  started_at: at,
  finished_at: at,
  ...row,
});

const conversation = {
  messages: [
    message({ sequence: 1, role: 'ASSISTANT', content: 'Welcome.' }),
    message({ sequence: 2, role: 'USER', content: 'A table, please.', answered_at: at }),
    message({ sequence: 3, role: 'ASSISTANT', content: 'One moment.', turn: 2 }),
    message({ sequence: 5, role: 'ASSISTANT', content: 'Booked.', turn: 2, interrupted: true }),
    message({ sequence: 6, role: 'USER', content: 'Thanks.' }),
  ],
  toolCalls: [call({ id: 'c1', sequence: 4 })],
};

describe('the stored conversation as the context of the model', () => {
  test('what the person wrote after reading an answer comes after it, also when it was stored before it', () => {
    const later = (ms: number) => new Date(at.getTime() + ms);
    const messages = [
      message({ sequence: 1, role: 'USER', content: 'One?', at, answered_at: later(20) }),
      message({ sequence: 2, role: 'USER', content: 'And two?', at: later(21), answered_at: later(40) }),
      message({ sequence: 3, role: 'ASSISTANT', content: 'One.', turn: 1, at: later(20) }),
      message({ sequence: 4, role: 'ASSISTANT', content: 'Two.', turn: 2, at: later(40) }),
    ];
    expect(toChatItems({ messages, toolCalls: [] }, new Set()).map(brief)).toEqual([
      'user: One?',
      'assistant: One.',
      'user: And two?',
      'assistant: Two.',
    ]);
  });

  test('what only told the person that they are not forgotten is none of the model’s words', () => {
    const messages = [
      // A person's client names their texts as it likes.
      message({
        ...{ sequence: 1, role: 'USER', content: 'A table, please.' },
        answered_at: at,
        message_key: fillerKey('1'),
      }),
      message({ sequence: 2, role: 'ASSISTANT', content: 'I am looking.', message_key: fillerKey('1.2') }),
      message({ sequence: 3, role: 'ASSISTANT', content: 'Booked.', turn: 1 }),
    ];
    expect(toChatItems({ messages, toolCalls: [] }, new Set()).map(brief)).toEqual([
      'user: A table, please.',
      'assistant: Booked.',
    ]);
  });

  test('texts and calls stand in the order in which they happened', () => {
    const items = toChatItems(conversation, new Set());
    expect(items.map(brief)).toEqual([
      'assistant: Welcome.',
      'user: A table, please.',
      'assistant: One moment.',
      'call book {"guests":4}',
      'output {"reference":"R1"}',
      'assistant: Booked.',
      'user: Thanks.',
    ]);
  });

  test('the framework, which sorts by time, keeps that order', () => {
    const items = toChatItems(conversation, new Set());
    const shuffled = items.toReversed().toSorted((a, b) => a.createdAt - b.createdAt);
    expect(shuffled.map(brief)).toEqual(items.map(brief));
    expect(Math.max(...items.map((item) => item.createdAt))).toBeLessThan(Date.now());
  });

  test('a text that waits for its answer is left out: it is given as the turn itself', () => {
    expect(toChatItems(conversation, new Set([6])).map(brief)).not.toContain('user: Thanks.');
  });

  test('a call and its output belong together by the id of the call', () => {
    const items = toChatItems(conversation, new Set());
    expect(items.filter((item) => 'callId' in item).map((item) => item.callId)).toEqual(['c1', 'c1']);
  });

  test('a reply that was cut is known to be cut', () => {
    const cut = toChatItems(conversation, new Set()).filter((item) => item.type === 'message' && item.interrupted);
    expect(cut.map(brief)).toEqual(['assistant: Booked.']);
  });

  test.each([
    { status: 'unknown', result: null, output: outcomeUnknown, isError: true },
    { status: 'started', result: null, output: outcomeUnknown, isError: true },
    { status: 'failed', result: 'No table is free.', output: 'No table is free.', isError: true },
    { status: 'ok', result: '"done"', output: '"done"', isError: false },
  ] as const)('the model reads of a call that is $status: $output', ({ status, result, output, isError }) => {
    const [, told] = toChatItems(
      { messages: [], toolCalls: [call({ id: 'c', sequence: 1, status, result })] },
      new Set(),
    );
    expect(told).toMatchObject({ type: 'function_call_output', output, isError });
  });
});

describe('what a host that takes over begins with', () => {
  test("the person's texts without an answer, and neither clients' lines nor the agent's own", () => {
    const messages = [
      ...conversation.messages,
      message({ sequence: 7, role: 'USER', content: 'rendered by a client', source: 'client' }),
      message({ sequence: 8, role: 'USER', content: 'And?' }),
    ];
    expect(unanswered({ messages, toolCalls: [] }).map((row) => row.content)).toEqual(['Thanks.', 'And?']);
  });

  test('a turn is begun once the agent has called a tool or said something in it', () => {
    expect(wasBegun(conversation, 2)).toBe(true);
    expect(wasBegun(conversation, 6)).toBe(false);
    expect(wasBegun({ messages: [], toolCalls: [call({ id: 'c', sequence: 7, turn: 6 })] }, 6)).toBe(true);
    const said = message({ sequence: 7, role: 'ASSISTANT', content: 'You', turn: 6 });
    expect(wasBegun({ messages: [said], toolCalls: [] }, 6)).toBe(true);
  });
});

function brief(item: llm.ChatItem): string {
  if (item.type === 'message') return `${item.role}: ${item.textContent}`;
  if (item.type === 'function_call') return `call ${item.name} ${item.args}`;
  return item.type === 'function_call_output' ? `output ${item.output}` : item.type;
}

describe('an answer that was cut short', () => {
  const before = llm.ChatMessage.create({ role: 'assistant', content: 'Welcome.' });
  const asked = llm.ChatMessage.create({ role: 'user', content: 'Which days?' });
  const first = llm.ChatMessage.create({ role: 'assistant', content: 'Monday, Tuesday ' });
  const second = llm.ChatMessage.create({ role: 'assistant', content: 'and Friday.' });
  const known = new Set([before.id]);
  const spoken = (items: llm.ChatItem[]) =>
    items.map((item) => (item.type === 'message' ? [item.textContent, item.interrupted] : item.type));

  test('is known to the model as far as it was heard', () => {
    expect(spoken(cutShort([before, asked, first, second], known, 'Monday, Tuesday and'))).toEqual([
      ['Welcome.', false],
      ['Which days?', false],
      ['Monday, Tuesday ', true],
      ['and', true],
    ]);
  });

  test('of which nothing was heard was never given', () => {
    expect(spoken(cutShort([before, asked, first, second], known, ''))).toEqual([
      ['Welcome.', false],
      ['Which days?', false],
    ]);
  });
});
