import { expect, test, vi } from 'vitest';
import { fillerKey } from '../../../contract/filler-key.ts';
import type { AgentRoom } from '../../room/agent-room.ts';
import type { TurnFact } from '../state/fact.ts';
import { TextOutput } from '../text-output.ts';
import type { Transcript } from '../transcript.ts';
import { Lines } from './lines.ts';
import type { Model } from './model.ts';
import { Outputs } from './outputs.ts';
import { Repeating } from './repeating.ts';

const greeting = 'Welcome!';

/** Lines that are written to a person who has them after so many times, or leaves before that. */
function linesTo({ arrivesAt, leavesAt = Infinity }: { arrivesAt: number; leavesAt?: number }) {
  const written: { segment: string; text: string; isFiller: boolean }[] = [];
  const states: string[] = [];
  const stored: string[] = [];
  const remembered: string[] = [];
  const facts: TurnFact[] = [];
  /** When a fact was told, how long ago the last words were out. */
  const underWay: number[] = [];
  const room = {
    connected: true,
    persons: () => [{ identity: 'person' }],
    showState: (state: string) => void states.push(state),
    openReply: async (segment: string, { isFiller }: { isFiller: boolean }) => ({
      write: async (text: string) => void written.push({ segment, text, isFiller }),
      close: async () => undefined,
    }),
  };
  const onFault = (error: unknown) => {
    throw error;
  };
  const outputs = new Outputs(
    () =>
      new TextOutput(
        () => room as unknown as AgentRoom,
        async () => 'yes',
        () => undefined,
      ),
    () => undefined,
  );
  const repeating = new Repeating({
    outputs,
    isSpoken: () => false,
    arrived: async () => {
      if (written.length >= leavesAt) outputs.mute();
      return written.length >= arrivesAt;
    },
    keepDoubt: async () => undefined,
    onFault,
  });
  const lines = new Lines({
    post: (fact) => {
      facts.push(fact);
      underWay.push(performance.now() - outputs.lastWordsAt);
    },
    outputs,
    model: { remember: (line: string) => void remembered.push(line) } as unknown as Model,
    transcript: { line: async (said: string) => stored.push(said) } as unknown as Transcript,
    language: () => ({ code: 'en', name: 'English', greeting, voices: [], lines: {} as never }),
    filler: () => 'One moment.',
    repeating,
    onFault,
  });
  return { lines, repeating, written, stored, remembered, states, facts, underWay };
}

const say = (lines: Lines, words: 'greeting' | 'limitReached' | 'filler') =>
  lines.say({ kind: 'say', line: 1, words, key: words === 'filler' ? fillerKey('1.1') : 'k' });

test('a greeting is written again, under its name, until a person who comes in slowly has it; it is stored once, and nobody waits for it', async () => {
  const { lines, written, stored, facts } = linesTo({ arrivesAt: 3 });
  await say(lines, 'greeting');
  expect(written.map(({ text }) => text)).toEqual([greeting, greeting, greeting]);
  expect(new Set(written.map(({ segment }) => segment)).size).toBe(1);
  expect(stored).toEqual([greeting]);
  expect(facts).toHaveLength(1);
});

test('while a greeting is on its way whoever takes the conversation over waits for it', async () => {
  const { lines, underWay } = linesTo({ arrivesAt: 3 });
  await say(lines, 'greeting');
  expect(underWay).toEqual([expect.any(Number)]);
  expect(underWay.every(Number.isFinite)).toBe(true);
});

test('a filler is told apart from an answer, is stored, and is nothing that the model or a screen takes for one', async () => {
  const it = linesTo({ arrivesAt: 1 });
  await say(it.lines, 'filler');
  await say(it.lines, 'limitReached');
  expect(it.written).toMatchObject([
    { text: 'One moment.', isFiller: true },
    { text: expect.stringContaining('the end'), isFiller: false },
  ]);
  expect(it.stored).toHaveLength(2);
  expect(it.remembered).toEqual([expect.stringContaining('the end')]);
  // Whoever is told to wait still sees that the agent is thinking.
  expect(it.states).toEqual(['speaking']);
});

test('a filler is told apart from an answer when it is said again, by this host or by the next', async () => {
  const said = linesTo({ arrivesAt: 2 });
  await say(said.lines, 'filler');
  said.repeating.toWhoCame(true);
  await vi.waitFor(() => expect(said.written.map(({ isFiller }) => isFiller)).toEqual([true, true]));
  const takenOver = linesTo({ arrivesAt: 1 });
  const draft = { segment: 'seg_1', content: 'One moment.', told: 0, complete: true };
  takenOver.repeating.sayAgain([{ position: { key: fillerKey('1.1') }, draft }]);
  await vi.waitFor(() =>
    expect(takenOver.written).toEqual([{ segment: 'seg_1', text: 'One moment.', isFiller: true }]),
  );
  expect([...said.states, ...takenOver.states]).toEqual([]);
});

test('a greeting that has arrived is not written again', async () => {
  const { lines, written } = linesTo({ arrivesAt: 1 });
  await say(lines, 'greeting');
  expect(written).toHaveLength(1);
});

test('a client that never says what it has is greeted five times at most, and not once the conversation is over', async () => {
  const never = linesTo({ arrivesAt: Infinity });
  await say(never.lines, 'greeting');
  expect(never.written).toHaveLength(5);
  const left = linesTo({ arrivesAt: Infinity, leavesAt: 2 });
  await say(left.lines, 'greeting');
  expect(left.written).toHaveLength(2);
});

test('another line is written once: who is told it has written or been answered before', async () => {
  const { lines, written } = linesTo({ arrivesAt: Infinity });
  await say(lines, 'limitReached');
  expect(written).toHaveLength(1);
});
