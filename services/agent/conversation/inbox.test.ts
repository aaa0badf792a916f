import { describe, expect, test } from 'vitest';
import type { CompiledLimits } from '../../agent-files/definition/compiled.ts';
import type { MessageRow } from '../../store/tables/messages.ts';
import { Inbox } from './inbox.ts';
import type { WaitingText } from './state/state.ts';
import type { Transcript } from './transcript.ts';

const limits = { textLength: 20, textsWaiting: 3, textsPerMinute: 100 } as CompiledLimits;
const at = new Date();

/** A text that is in the database. */
const stored = (key: string, sequence: number, answered = false): MessageRow => ({
  session_id: 's',
  sequence,
  role: 'USER',
  source: 'host',
  content: key,
  at,
  message_key: key,
  turn: sequence,
  answered_at: answered ? at : null,
  interrupted: false,
  mode: 'TEXT',
  timing: null,
  draft: null,
});

function inbox({ isSuccessor = false, isOpen = true }: { isSuccessor?: boolean; isOpen?: boolean } = {}) {
  const database: MessageRow[] = [];
  const line: WaitingText[] = [];
  const told = { successor: 0, tooMuch: [] as string[], waiting: 0 };
  const state = { isOpen };
  const transcript = {
    full: false,
    heard: async ({ key, text }: { key: string; text: string }) => {
      const known = database.find((row) => row.message_key === key);
      if (!known) database.push({ ...stored(key, database.length + 1), content: text });
      return { text, sequence: Promise.resolve(known?.sequence ?? database.length), isNew: !known };
    },
    tellSuccessor: () => {
      told.successor += 1;
    },
  };
  const it: Inbox = new Inbox(
    {
      limits,
      transcript: transcript as unknown as Transcript,
      waiting: () => line.length,
      now: () => at,
      isOpen: () => state.isOpen,
      onWaits: (text) => {
        line.push(text);
        told.waiting += 1;
      },
      onFound: (texts) => line.push(...texts),
      onTooMuch: (key) => told.tooMuch.push(key),
      catchUp: async () => it.resume({ messages: database, toolCalls: [] }),
    },
    { isSuccessor },
  );
  const hear = (key: string, text = key) => it.hear({ key, text, at, mode: 'TEXT' });
  return { it, hear, database, told, state, inLine: () => line.map(({ text }) => text), line };
}

describe('a text that is heard', () => {
  test('is stored and put in line, once', async () => {
    const { hear, inLine, database, told } = inbox();
    await Promise.all([hear('a'), hear('a')]);
    await hear('a');
    expect(inLine()).toEqual(['a']);
    expect(database).toHaveLength(1);
    expect(told.waiting).toBe(1);
  });

  test('is cut and cleaned before it is stored: the model hears what is stored', async () => {
    const { hear, inLine, database } = inbox();
    await hear('long', `\0${'x'.repeat(30)}`);
    await hear('empty', ' \0\n ');
    expect(inLine()).toEqual(['x'.repeat(19)]);
    expect(database.map(({ content }) => content)).toEqual(inLine());
  });

  test('counts as waiting from the moment it is heard, so that no flood passes the limit', async () => {
    const { hear, inLine, told } = inbox();
    await Promise.all(['a', 'b', 'c', 'd', 'e'].map((key) => hear(key)));
    expect(inLine()).toEqual(['a', 'b', 'c']);
    expect(told.tooMuch).toEqual(['d']);
  });

  test('by a host that is being stopped is stored, and its successor is told', async () => {
    const { hear, inLine, database, told, state } = inbox();
    state.isOpen = false;
    await hear('a');
    expect(inLine()).toEqual([]);
    expect(database).toHaveLength(1);
    expect(told.successor).toBe(1);
  });
});

describe('a successor', () => {
  test('takes up what is stored without an answer, once', () => {
    const { it, inLine, line } = inbox({ isSuccessor: true });
    const messages = [stored('answered', 1, true), stored('open', 2)];
    it.resume({ messages, toolCalls: [] });
    it.resume({ messages, toolCalls: [] });
    expect(inLine()).toEqual(['open']);
    expect(line[0]?.begun).toBe(false);
  });

  test('answers what its predecessor stored before what it hears itself', async () => {
    const { it, hear, inLine, database } = inbox({ isSuccessor: true });
    database.push(stored('before', 1));
    await hear('after');
    expect(inLine()).toEqual([]);
    it.resume({ messages: database, toolCalls: [] });
    it.caughtUp();
    expect(inLine()).toEqual(['before', 'after']);
    await hear('later');
    expect(inLine()).toEqual(['before', 'after', 'later']);
  });

  test('answers a text that the client sends again because nobody answered it', async () => {
    const { it, hear, inLine, database } = inbox({ isSuccessor: true });
    it.caughtUp();
    database.push(stored('unanswered', 1));
    await hear('unanswered');
    expect(inLine()).toEqual(['unanswered']);
    await hear('unanswered');
    expect(inLine()).toEqual(['unanswered']);
  });

  test('does not pass a text by that comes again in the moment in which it looks for it', async () => {
    const { it, hear, inLine, database } = inbox({ isSuccessor: true });
    it.caughtUp();
    database.push(stored('unanswered', 1));
    const heard = hear('unanswered');
    it.resume({ messages: database, toolCalls: [] });
    await heard;
    expect(inLine()).toEqual(['unanswered']);
  });

  test('does not answer again what comes again and was answered', async () => {
    const { it, hear, inLine, database } = inbox({ isSuccessor: true });
    it.caughtUp();
    database.push(stored('answered', 1, true));
    await hear('answered');
    expect(inLine()).toEqual([]);
  });
});
