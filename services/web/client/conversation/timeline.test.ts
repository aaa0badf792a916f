import { expect, test } from 'vitest';
import type { SessionDetails, ToolCall } from '../shapes.ts';
import type { Entry } from '../transcript.ts';
import { timelineOf } from './timeline.ts';

const at = (second: number) => new Date(Date.UTC(2026, 0, 1, 12, 0, second)).toISOString();
const call = (name: string, second: number, turn = 0): ToolCall => ({
  turn,
  name,
  arguments: {},
  status: 'ok',
  result: null,
  startedAt: at(second),
  finishedAt: at(second),
});
/** Replies as stored: their second, or their second and turn. */
const stored = (toolCalls: ToolCall[], ...replies: (number | [number, number])[]) => {
  const messages = replies.map((reply) => {
    const [second, turn] = typeof reply === 'number' ? [reply, 0] : reply;
    return { role: 'ASSISTANT', content: '', at: at(second), turn, interrupted: false };
  });
  return { toolCalls, messages } as unknown as SessionDetails;
};

const greeting: Entry = { id: 'g', from: 'agent', text: 'Hello', progress: 'whole' };
const first: Entry = { id: 'p1', from: 'person', text: 'one', delivery: 'sent' };
const second: Entry = { id: 'p2', from: 'person', text: 'two', delivery: 'sent' };
const reply: Entry = { id: 'r1', from: 'agent', text: 'one', progress: 'whole' };
const reply2: Entry = { id: 'r2', from: 'agent', text: 'two', progress: 'whole' };

const order = (entries: Entry[], details: SessionDetails | undefined) =>
  timelineOf(entries, details).map((item) => (item.kind === 'entry' ? item.entry.id : item.toolCall.name));

test('a tool call stands before the reply that came of it', () => {
  expect(order([greeting, first, reply], stored([call('tool', 5)], 1, 6))).toEqual(['g', 'p1', 'tool', 'r1']);
});

test('of two messages in a row the second one has its tool call before its own reply', () => {
  const details = stored([call('tool', 5)], 1, 4, 6);
  expect(order([greeting, first, second, reply, reply2], details)).toEqual(['g', 'p1', 'p2', 'r1', 'tool', 'r2']);
});

test('a tool call whose reply is not there yet comes last', () => {
  expect(order([greeting, first], stored([call('tool', 5)], 1))).toEqual(['g', 'p1', 'tool']);
});

test('a reply that was cut off was not stored and does not count', () => {
  const cut: Entry = { id: 'c', from: 'agent', text: 'on', progress: 'cut' };
  expect(order([greeting, first, cut, reply, second, reply2], stored([call('tool', 8)], 1, 6, 9))).toEqual([
    'g',
    'p1',
    'c',
    'r1',
    'p2',
    'tool',
    'r2',
  ]);
});

test('words before a tool call are stored by themselves and still belong to the same reply', () => {
  const details = stored([call('tool', 5, 2), call('later', 9, 4)], 1, [4, 2], [6, 2], [10, 4]);
  expect(order([greeting, first, reply, second, reply2], details)).toEqual([
    'g',
    'p1',
    'tool',
    'r1',
    'p2',
    'later',
    'r2',
  ]);
});

test('without details there are only the words', () => {
  expect(order([greeting, first], undefined)).toEqual(['g', 'p1']);
});
