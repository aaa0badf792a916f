import { initializeLogger, llm } from '@livekit/agents';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { ModelSession } from '../../services/agent/conversation/model-session.ts';
import { HeadStart } from '../../services/agent/models/head-start.ts';
import { makeOpenAI } from '../../services/agent/providers/openai/model.ts';
import { eventually } from '../support/eventually.ts';
import { onThisMachine } from '../support/stand-ins/on-this-machine.ts';
import { type OpenAIServer, startOpenAIServer } from '../support/stand-ins/openai-server.ts';
import { compiledAgent } from '../support/world/compiled-agent.ts';

let server: OpenAIServer;
let session: ModelSession;
let said = '';
let booked: unknown[] = [];
let instructions = 'You are the front desk.';

beforeAll(async () => {
  initializeLogger({ pretty: false, level: 'fatal' });
  server = await startOpenAIServer();
});

afterAll(() => server.close());

beforeEach(async () => {
  server.requests.length = 0;
  server.reply(({ body }) => ({ text: `You said: ${lastOf(body.messages)}` }));
  [said, booked] = ['', []];
  instructions = 'You are the front desk.';
  const book = llm.tool({
    name: 'book',
    description: 'Books a table.',
    parameters: { type: 'object', properties: {} } as const,
    execute: async (args: unknown) => {
      booked.push(args);
      return { reference: 'R1' };
    },
  });
  session = await ModelSession.start({
    definition: compiledAgent({ definition: { model: model() } }),
    instructions: () => instructions,
    language: () => 'en',
    tools: [book],
    history: [],
    onWords: (text) => {
      said += text;
    },
    env: onThisMachine,
    headStart: true,
  });
});

afterEach(() => session.close());

const model = () => ({ provider: 'openai', baseUrl: server.baseUrl, maxOutputTokens: 200, timeoutMs: 20_000 }) as const;

const lastOf = (messages: readonly { content?: unknown }[]) => String(messages.at(-1)?.content);

async function answerTo(text: string) {
  said = '';
  const thought = await session.answer(text, 20_000);
  return { ...thought, said };
}

/** Resolves when the model was asked so many times. */
const asked = (times: number) => eventually('the model is asked', () => server.requests.length === times);

test('what was begun is the answer, and the model is asked once for each', async () => {
  await session.remember('Welcome.');
  for (const [turn, text] of ['hello', 'when do you open', 'thank you'].entries()) {
    session.expect(text);
    await asked(turn + 1);
    expect(said, 'before it is asked for').not.toContain(text);
    expect(await answerTo(text)).toMatchObject({ said: `You said: ${text}`, failure: undefined });
  }
  expect(server.requests).toHaveLength(3);
  expect(server.requests[2]?.body.messages.map(({ role, content }) => `${role}: ${content}`)).toEqual([
    'system: You are the front desk.',
    'assistant: Welcome.',
    'user: hello',
    'assistant: You said: hello',
    'user: when do you open',
    'assistant: You said: when do you open',
    'user: thank you',
  ]);
});

test('a person who goes on is answered anew, and what was begun for nothing counts', async () => {
  const plain = await answerTo('I would like a table for two');
  server.reply(() => ({ text: 'Too early.', firstTokenDelayMs: 20_000 }));
  session.expect('I would like');
  await asked(2);
  session.expect('I would like a table');
  await asked(3);
  server.reply(({ body }) => ({ text: `You said: ${lastOf(body.messages)}` }));
  const answer = await answerTo('I would like a table for two');
  expect(answer.said).toBe('You said: I would like a table for two');
  expect(server.requests).toHaveLength(4);
  await eventually('the others are given up', () => server.requests.slice(1, 3).every(({ gone }) => gone.aborted));
  expect(answer.tokens).toBeGreaterThan(plain.tokens + 2 * 10);
});

test('the same pause twice asks once', async () => {
  session.expect('hello');
  session.expect('hello');
  expect((await answerTo('hello')).said).toBe('You said: hello');
  expect(server.requests).toHaveLength(1);
});

test('a person who goes on is no reason to go on with the answer', async () => {
  server.reply(() => ({ text: 'Too early.', firstTokenDelayMs: 20_000 }));
  session.expect('hello');
  await asked(1);
  session.expectNothing();
  await eventually('it is given up', () => server.requests[0]?.gone.aborted);
});

test('a tool is not called before the answer is asked for, and then once', async () => {
  server.reply(({ body }) =>
    body.messages.at(-1)?.role === 'tool'
      ? { text: 'It is booked.' }
      : { toolCalls: [{ name: 'book', arguments: {} }] },
  );
  session.expect('book it');
  await eventually('the model has called it', () => server.requests[0]?.answered);
  // What that sets going is under way: a later answer of the server is here.
  await (await fetch(`${server.baseUrl}/models`)).json();
  expect(booked).toEqual([]);
  expect((await answerTo('book it')).said).toBe('It is booked.');
  expect(booked).toHaveLength(1);
  expect(server.requests).toHaveLength(2);
});

test('a head start that failed is no failure of the answer', async () => {
  const failures: unknown[] = [];
  const inner = makeOpenAI(model(), onThisMachine);
  const headStart = new HeadStart(inner, () => {});
  headStart.on('error', (event) => failures.push(event));
  const chatCtx = llm.ChatContext.empty();
  chatCtx.addMessage({ role: 'user', content: 'hello' });
  server.reply(() => ({ status: 400 }));
  const failed = new Promise((resolve) => inner.once('error', resolve));
  headStart.begin({ chatCtx });
  await failed;
  server.reply(({ body }) => ({ text: `You said: ${lastOf(body.messages)}` }));
  let words = '';
  for await (const { delta } of headStart.chat({ chatCtx })) words += delta?.content ?? '';
  expect({ words, failures }).toEqual({ words: 'You said: hello', failures: [] });
  await headStart.aclose();
});

test('an answer that fails after it was asked for is a failure', async () => {
  server.reply(() => ({ status: 400 }));
  expect((await answerTo('hello')).failure).toMatchObject({ kind: 'rejected' });
  server.reply(() => ({ text: 'One two three four', chunkDelayMs: 50, errorEvent: { after: 2 } }));
  session.expect('hello again');
  await asked(2);
  expect((await answerTo('hello again')).failure).toMatchObject({ kind: 'unavailable' });
});

test('an answer that was begun can be interrupted', async () => {
  server.reply(() => ({ text: 'and on '.repeat(200), chunkDelayMs: 50 }));
  session.expect('tell me everything');
  await asked(1);
  const answering = session.answer('tell me everything', 20_000);
  await eventually('it speaks', () => said.length > 0);
  session.interrupt();
  expect(await answering).toMatchObject({ interrupted: true, failure: undefined });
  await eventually('the model stops', () => server.requests[0]?.gone.aborted);
});

test('an answer that takes too long is cut, which is a failure and nobody’s interruption', async () => {
  server.reply(() => ({ text: 'and on '.repeat(400), chunkDelayMs: 50 }));
  expect(await session.answer('tell me everything', 1_500)).toMatchObject({
    interrupted: false,
    failure: { kind: 'timeout' },
  });
  await eventually('the model stops', () => server.requests[0]?.gone.aborted);
});

test('an answer that is cut counts for about what it has cost, which its server never tells', async () => {
  server.reply(() => ({ text: 'and on '.repeat(200), chunkDelayMs: 50 }));
  const answering = session.answer('tell me everything', 20_000);
  await eventually('it speaks', () => said.includes('and on'));
  session.interrupt();
  const cut = await answering;
  server.reply(({ body }) => ({ text: `You said: ${lastOf(body.messages)}` }));
  const next = await answerTo('thank you');
  // What the server counts for the second alone, with room for its few words.
  const counted = Math.ceil(JSON.stringify(server.requests[1]?.body.messages).length / 4) + 30;
  expect(cut.tokens + next.tokens).toBeGreaterThan(counted + 40);
});

test('the model is told at once that it is heard, or read, from now on, also where it has begun', async () => {
  await answerTo('hello');
  instructions = 'You are the front desk, and heard.';
  session.expect('good day');
  await asked(2);
  await answerTo('good day');
  expect(server.requests.map(({ body }) => body.messages[0]?.content)).toEqual([
    'You are the front desk.',
    'You are the front desk, and heard.',
  ]);
});
