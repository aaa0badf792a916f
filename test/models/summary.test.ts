import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { CompiledModel } from '../../services/agent-files/definition/compiled.ts';
import { summarisingModel, understandByModel } from '../../services/core/finish/model-summary.ts';
import type { Conversed } from '../../services/core/finish/outcome.ts';
import { onThisMachine } from '../support/stand-ins/on-this-machine.ts';
import { type OpenAIServer, startOpenAIServer } from '../support/stand-ins/openai-server.ts';

const conversed: Conversed = {
  endReason: 'agent_ended',
  lines: [
    { role: 'ASSISTANT', content: 'Hello.' },
    { role: 'USER', content: 'A table\nfor two' },
    { role: 'USER', content: 'at seven' },
    { role: 'ASSISTANT', content: 'Booked.' },
  ],
  toolCalls: [
    { name: 'book_table', status: 'ok' },
    { name: 'find_guest', status: 'failed' },
  ],
  definition: undefined,
};

let server: OpenAIServer;
beforeAll(async () => {
  server = await startOpenAIServer({ apiKey: 'right' });
});
beforeEach(() => {
  server.requests.length = 0;
});
afterAll(() => server?.close());

const model = (changes: Partial<CompiledModel> = {}): CompiledModel => ({
  ...{ provider: 'openai', baseUrl: server.baseUrl, apiKey: { env: 'KEY' }, maxOutputTokens: 100, timeoutMs: 1_000 },
  ...changes,
});
const understand = (instructions?: string) =>
  understandByModel({ model: model(), env: { ...onThisMachine, KEY: 'right' }, instructions }, conversed);
const good = { summary: 'A table for two was booked.', outcome: 'resolved', sentiment: 'neutral' };

test('the model is told that the conversation is data, and its answer is taken', async () => {
  server.reply(() => ({ text: JSON.stringify(good) }));
  expect(await understand('Mention the number of guests.')).toMatchObject(good);
  const [request] = server.requests;
  expect(request?.body.response_format).toEqual({ type: 'json_object' });
  expect(JSON.stringify(request?.body.messages)).toContain('Mention the number of guests.');
  expect(JSON.stringify(request?.body.messages)).toContain('at seven');
});

test('the model is told what the agent noted, as a part of the conversation', async () => {
  server.reply(() => ({ text: JSON.stringify(good) }));
  const notes = new Map([['guests', '2']]);
  await understandByModel(
    { model: model(), env: { ...onThisMachine, KEY: 'right' }, instructions: undefined },
    { ...conversed, notes },
  );
  const asked = String(server.requests[0]?.body.messages.at(-1)?.content);
  expect(asked).toMatch(/<conversation>[\s\S]*The agent noted guests: “2”\.\n<\/conversation>$/);
});

test('a fenced answer and fields nobody asked for are no fault', async () => {
  server.reply(() => ({
    text: `Here you are:\n\`\`\`json\n${JSON.stringify({ ...good, extra: { deep: true } })}\n\`\`\``,
  }));
  expect(await understand()).toMatchObject(good);
});

test('what the model answers is cut and cleaned like what people write', async () => {
  server.reply(() => ({ text: JSON.stringify({ ...good, summary: `\u001b[2J\u0000${'long '.repeat(2_000)}` }) }));
  const understood = await understand();
  expect(understood?.summary.length).toBeLessThanOrEqual(1_000);
  expect(understood?.summary).not.toMatch(/\p{Cc}/u);
});

test.each([
  ['no JSON', 'I would rather not.'],
  ['an outcome that does not exist', JSON.stringify({ ...good, outcome: 'excellent' })],
  ['a summary that is no text', JSON.stringify({ ...good, summary: { html: '<b>' } })],
  ['an empty summary', JSON.stringify({ ...good, summary: '\u0000 ' })],
  ['a list', '[]'],
])('%s is asked again once and then given up', async (_what, text) => {
  server.reply(() => ({ text }));
  expect(await understand()).toBeUndefined();
  expect(server.requests).toHaveLength(2);
});

test('a server that refuses response_format is asked without it', async () => {
  server.reply(({ body }) =>
    body.response_format ? { status: 400, message: 'unknown field' } : { text: JSON.stringify(good) },
  );
  expect(await understand()).toMatchObject(good);
});

test('a server that breaks off gives no summary', async () => {
  server.reply(() => ({ reset: true }));
  expect(await understand()).toBeUndefined();
});

test('a model is asked where its key or its own server is there, and scripted ones never', () => {
  const own = model();
  const auto: CompiledModel = { provider: 'auto', maxOutputTokens: 1, timeoutMs: 1 };
  const scripted: CompiledModel = { ...auto, provider: 'scripted' };
  expect(summarisingModel([scripted, own], { KEY: 'right' })).toBe(own);
  expect(summarisingModel([own], {})).toBeUndefined();
  expect(summarisingModel([auto], {})).toBeUndefined();
  expect(summarisingModel([auto], { OPENAI_API_KEY: 'x' })).toBe(auto);
  expect(summarisingModel([scripted], { OPENAI_API_KEY: 'x' })).toBeUndefined();
});
