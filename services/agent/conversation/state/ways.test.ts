import { Session } from 'node:inspector/promises';
import { basename } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Effect } from './effect.ts';
import type { Fact } from './fact.ts';
import { learn } from './learn.ts';
import { begin, type ConversationState, type WaitingText } from './state.ts';

/** Every fact passes these. */
const passedByAll = ['learn.ts', 'step.ts'];

const inspector = new Session();

beforeEach(async () => {
  inspector.connect();
  await inspector.post('Profiler.enable');
  await inspector.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
});

afterEach(async () => {
  await inspector.post('Profiler.stopPreciseCoverage');
  inspector.disconnect();
});

/** The files of this folder of which a function was called since this was asked last. */
async function filesEntered(): Promise<string[]> {
  const { result } = await inspector.post('Profiler.takePreciseCoverage');
  return result
    .filter(({ url }) => url.includes('conversation/state/') && !url.includes('.test.ts'))
    .filter(({ functions }) => functions.some(({ functionName, ranges }) => functionName && ranges[0]?.count))
    .map(({ url }) => basename(url))
    .filter((file) => !passedByAll.includes(file));
}

/** What each fact enters, one after another. */
async function follow(facts: readonly Fact[], { isAwake }: { isAwake: boolean }) {
  const rules = { epoch: 2, mostTurns: 9, mostTokens: 9_000, interruption: { enabled: true, minWords: 1 } };
  let state: ConversationState = begin({
    rules: { ...rules, microphone: true, isSpeechToSpeech: false },
    ...{ isGreeted: true, isSpoken: false, isUnjoined: false, used: { turns: 0, tokens: 0 } },
  });
  if (isAwake) [state] = learn(state, { kind: 'person_came', placeLapsed: false });
  await filesEntered();
  const entered: string[] = [];
  const effects: Effect['kind'][] = [];
  for (const fact of facts) {
    const [next, begun] = learn(state, fact);
    state = next;
    effects.push(...begun.map(({ kind }) => kind));
    entered.push(...(await filesEntered()));
  }
  return { entered, effects };
}

const waiting: WaitingText = { text: 'a table', sequence: Promise.resolve(1), key: 'k', begun: false };
const answered: readonly Fact[] = [
  { kind: 'thought', turn: 1, failed: false, interrupted: false, tokens: 10 },
  { kind: 'told', output: 1, cut: false, hasWords: true, whole: true },
];

test('from a text that is heard to its stored reply no file is entered twice', async () => {
  const text = { key: 'k', text: 'a table', at: new Date(0), mode: 'TEXT' } as const;
  const { entered, effects } = await follow(
    [{ kind: 'text_heard', text, playout: undefined }, { kind: 'text_waits', text: waiting }, ...answered],
    { isAwake: true },
  );
  expect(effects).toEqual(expect.arrayContaining(['take_in', 'think', 'tell', 'close_turn']));
  expect(entered.toSorted()).toEqual([...new Set(entered)].toSorted());
  expect(entered).toEqual(expect.arrayContaining(['heard.ts', 'waiting.ts', 'next.ts', 'thinking.ts', 'telling.ts']));
});

test('from what a dead host left to the reply of its successor no file is entered twice', async () => {
  const { entered, effects } = await follow(
    [
      { kind: 'texts_found', texts: [{ ...waiting, begun: true }] },
      { kind: 'person_came', placeLapsed: false },
      ...answered,
    ],
    { isAwake: false },
  );
  expect(effects).toEqual(expect.arrayContaining(['think', 'tell', 'close_turn']));
  expect(entered.toSorted()).toEqual([...new Set(entered)].toSorted());
  expect(entered).toEqual(expect.arrayContaining(['waiting.ts', 'coming.ts', 'next.ts', 'thinking.ts', 'telling.ts']));
});
