import { expect, test } from 'vitest';
import type { SessionRow } from '../../store/tables/sessions.ts';
import { addendOf, type FinishedSession } from './roll-up.ts';

const began = new Date('2026-11-22T10:59:59.000Z');
const session = {
  agent: 'desk',
  version_hash: 'a'.repeat(64),
  channel: 'api',
  language: 'en',
  interaction_mode: 'TEXT',
  created_at: began,
  started_at: began,
  duration_seconds: 75,
  billed_seconds: 70,
  turns: 2,
  tokens: 40,
  outcome: 'resolved',
  sentiment: 'positive',
  end_reason: 'client_ended',
} as SessionRow;

const reply = (fields: Partial<FinishedSession['messages'][number]>): FinishedSession['messages'][number] => ({
  ...{ role: 'ASSISTANT', turn: 1, mode: 'TEXT', interrupted: false, timing: null, ...fields },
});

const call = (name: string, status: 'ok' | 'failed' | 'started', ms?: number) => ({
  ...{ name, status, started_at: began },
  finished_at: ms === undefined ? null : new Date(began.getTime() + ms),
});

test('a conversation is counted once by each name, in the hour in which it began', () => {
  const { key, conversation } = addendOf({ session, messages: [], toolCalls: [] });
  expect(key).toMatchObject({ at: began, agent: 'desk', mode: 'TEXT' });
  expect(conversation).toEqual({
    ...{ conversations: 1, durationSeconds: 75, billedSeconds: 70, turns: 2, tokens: 40 },
    ...{ 'outcome.resolved': 1, 'sentiment.positive': 1, 'end.client_ended': 1, 'duration.90': 1 },
  });
});

test('a written reply is waited for until its first word, a spoken one from the last sound to the first', () => {
  const messages = [
    reply({ timing: { firstToken: 90, firstSound: 400 } }),
    reply({ mode: 'VOICE', timing: { endpointing: 300, recognition: 40, firstToken: 100, firstSound: 260 } }),
  ];
  const { conversation } = addendOf({ session, messages, toolCalls: [] });
  expect(conversation).toMatchObject({ 'latency.response.112': 1, 'latency.response.640': 1 });
});

test('nobody waits for what the agent says unasked, and lines of the person take no time of ours', () => {
  const timing = { firstToken: 90 };
  const messages = [reply({ turn: 0, timing }), reply({ role: 'USER', timing }), reply({ interrupted: true })];
  const { conversation } = addendOf({ session, messages, toolCalls: [] });
  expect(conversation).toMatchObject({ 'latency.firstToken.112': 1, interrupted: 1 });
  expect(Object.keys(conversation).some((name) => name.startsWith('latency.response'))).toBe(false);
});

test('tools are counted by name with what came of them, and what never ended is unknown', () => {
  const toolCalls = [call('book', 'ok', 120), call('book', 'failed', 30), call('find', 'started')];
  expect(addendOf({ session, messages: [], toolCalls }).tools).toEqual({
    book: { ok: 1, failed: 1, 'latency.160': 1, 'latency.40': 1 },
    find: { unknown: 1 },
  });
});

test('names that a model makes up do not fill the figures', () => {
  const toolCalls = Array.from({ length: 100 }, (_, index) => call(`tool_${index}`, 'ok', 1));
  expect(Object.keys(addendOf({ session, messages: [], toolCalls }).tools)).toHaveLength(30);
});

test('a session that nobody joined is no conversation', () => {
  const { conversation, tools } = addendOf({ session: { ...session, started_at: null }, messages: [], toolCalls: [] });
  expect([conversation, tools]).toEqual([{ unjoined: 1 }, {}]);
});
