import { expect, test } from 'vitest';
import { activityOf, awaitsReply, beginState, type ConversationState, type Fact, learn } from './state.ts';

const agent = { agent: 'a', name: 'A', apiKey: 'pk_x', languages: [] };
const after = (...facts: Fact[]): ConversationState => facts.reduce(learn, beginState(agent, 'en'));

const connected: Fact = { kind: 'connection', connection: 'connected' };
const began = (id: string): Fact => ({ kind: 'replyBegan', id });
const grew = (id: string, chunk: string): Fact => ({ kind: 'replyGrew', id, chunk });

test('a reply grows by its chunks', () => {
  const state = after(connected, began('r'), grew('r', 'Good '), grew('r', 'morning'));
  expect(state.entries).toEqual([{ id: 'r', from: 'agent', text: 'Good morning', progress: 'streaming' }]);
  expect(activityOf(state)).toBe('speaking');
});

test('a reply whose agent died is cut off when the successor speaks', () => {
  const state = after(connected, began('r1'), grew('r1', 'Your ta'), began('r2'), grew('r2', 'Your table'));
  expect(state.entries.map((entry) => 'progress' in entry && entry.progress)).toEqual(['cut', 'streaming']);
});

test('a reply without a word leaves nothing behind', () => {
  expect(after(began('r'), { kind: 'replyEnded', id: 'r', whole: true }).entries).toEqual([]);
});

test('a message that the room has taken waits for a reply, one that it has not taken does not', () => {
  const said = after(connected, { kind: 'said', id: 'm', text: 'hello' });
  expect(awaitsReply(said)).toBe(false);
  const sent = learn(said, { kind: 'delivery', id: 'm', delivery: 'sent' });
  expect(awaitsReply(sent)).toBe(true);
  expect(awaitsReply([began('r'), grew('r', 'hi')].reduce(learn, sent))).toBe(false);
});

test('the agent is not known to do anything while the connection is away', () => {
  const state = after(
    connected,
    { kind: 'agentState', state: 'thinking' },
    { kind: 'connection', connection: 'reconnecting' },
  );
  expect(activityOf(state)).toBeUndefined();
});

test('an agent state that is not in the contract is not shown', () => {
  expect(after(connected, { kind: 'agentState', state: 'dreaming' }).agentState).toBeUndefined();
});

test('what was not sent when the conversation ended says so', () => {
  const state = after({ kind: 'said', id: 'm', text: 'too late' }, { kind: 'ended', figures: undefined });
  expect(state.entries).toMatchObject([{ delivery: 'failed' }]);
  expect(state).toMatchObject({ phase: 'ended', connection: 'closed' });
});

test('a refused end leaves the conversation as it was', () => {
  const state = after(connected, { kind: 'ending' }, { kind: 'notEnded', message: 'Try again.' });
  expect(state).toMatchObject({ phase: 'talking', problem: 'Try again.' });
});
