import { expect, test } from 'vitest';
import type { Message, ToolCall } from '../../account/account-api.ts';
import { linesOf, middle, waitOf, waits } from './turns.ts';

const message = (at: string, timing: Message['timing'] = null): Message => ({
  ...{ role: 'ASSISTANT', content: at, at, turn: 1, sequence: 1, source: 'host' },
  ...{ interrupted: false, mode: 'TEXT', timing },
});
const call = (startedAt: string): ToolCall => ({
  ...{ turn: 1, name: 'wait', arguments: {}, status: 'ok', result: '' },
  ...{ startedAt, finishedAt: null },
});

test('tools stand where they happened, before the words of the same moment', () => {
  const [first, second] = ['2026-11-22T10:00:00.000Z', '2026-11-22T10:00:01.000Z'];
  const lines = linesOf([message(first), message(second)], [call(second)]);
  expect(lines.map(({ kind }) => kind)).toEqual(['message', 'tool', 'message']);
});

test('an answer is waited for until its sound, or its first word where none was heard', () => {
  expect(waitOf({ endpointing: 400, recognition: 50, firstToken: 200, firstSound: 500 })).toBe(950);
  expect(waitOf({ firstToken: 12 })).toBe(12);
  expect(waitOf({ playout: 12 })).toBeUndefined();
  expect(waitOf(null)).toBeUndefined();
});

test('the middle wait is one that there was', () => {
  const at = '2026-11-22T10:00:00.000Z';
  const sorted = waits([30, 10, 20].map((firstToken) => message(at, { firstToken })));
  expect(sorted).toEqual([10, 20, 30]);
  expect([middle(sorted), middle([1, 2]), middle([])]).toEqual([20, 1, undefined]);
});
