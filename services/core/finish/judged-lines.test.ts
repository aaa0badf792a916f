import { expect, test } from 'vitest';
import { fillerKey } from '../../contract/filler-key.ts';
import { judgedLines } from './judged-lines.ts';
import { outcomeByRules } from './outcome.ts';

const asked = { role: 'USER', source: 'host', content: 'a table?', message_key: 'text-1' } as const;
const told = { role: 'ASSISTANT', source: 'host', content: 'One moment.' } as const;

const outcomeOf = (
  ...messages: Parameters<typeof judgedLines<typeof asked | (typeof told & { message_key: string })>>[0]
) => outcomeByRules({ endReason: 'client_ended', lines: judgedLines(messages), toolCalls: [], definition: undefined });

test('who was only told to wait has no answer', () => {
  expect(outcomeOf(asked, { ...told, message_key: fillerKey('1.2') })).toBe('unresolved');
  expect(outcomeOf(asked, { ...told, message_key: 'reply 1' })).toBe('unknown');
});

test('nobody speaks for the agent but its host', () => {
  const byClient = { ...told, source: 'client', message_key: null } as const;
  expect(judgedLines([asked, byClient])).toEqual([asked]);
});
