import { llm, voice } from '@livekit/agents';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { ModelNotConfigured } from '../../services/agent/models/configuration.ts';
import { makeOpenAI } from '../../services/agent/providers/openai/model.ts';
import type { CompiledModel } from '../../services/agent-files/definition/compiled.ts';
import { variables } from '../../services/settings/write.ts';
import { onThisMachine } from '../support/stand-ins/on-this-machine.ts';
import { type OpenAIServer, type Reply, startOpenAIServer } from '../support/stand-ins/openai-server.ts';
import { startTextSession } from './text-session.ts';

let server: OpenAIServer;
beforeAll(async () => {
  server = await startOpenAIServer({ apiKey: 'right' });
});
afterAll(() => server.close());
beforeEach(() => {
  server.requests.length = 0;
});

const env = { ...onThisMachine, KEY: 'right', WRONG_KEY: 'wrong' };

const model = (given: Partial<CompiledModel> = {}) =>
  makeOpenAI(
    {
      provider: 'openai',
      baseUrl: server.baseUrl,
      apiKey: { env: 'KEY' },
      maxOutputTokens: 200,
      timeoutMs: 20_000,
      ...given,
    },
    env,
  );

/** Answers the first request of a turn with the first reply, and so on; the last one for all that follow. */
function replies(first: Reply, ...rest: Reply[]): void {
  const all = [first, ...rest];
  server.reply(() => (all.length > 1 ? (all.shift() ?? first) : (all[0] ?? first)));
}

function bookingTool() {
  const runs: unknown[] = [];
  const tool = llm.tool({
    name: 'book',
    description: 'Books a table.',
    parameters: { type: 'object', properties: { people: { type: 'integer' } }, required: ['people'] } as const,
    execute: async (args: unknown) => {
      runs.push(args);
      return { reference: 'R1' };
    },
  });
  return { tool, runs };
}

const lastMessages = () => server.requests.at(-1)?.body.messages ?? [];

describe('an answer', () => {
  test('is streamed and carries the usage that the provider reports', async () => {
    await using talk = await startTextSession(model());
    replies({ text: 'We open at noon, every day.' });
    expect(await talk.turn('When do you open?')).toBe('We open at noon, every day.');
    expect(lastMessages()).toEqual([
      { role: 'system', content: 'You are a test.' },
      { role: 'user', content: 'When do you open?' },
    ]);
    const usage = talk.happenings.flatMap((happening) => ('usage' in happening ? [happening.usage] : []));
    expect(usage).toEqual([{ prompt: expect.any(Number), completion: expect.any(Number) }]);
    expect(usage[0]?.prompt).toBeGreaterThan(0);
  });

  test('is asked for with the declared options, also with a temperature of zero', async () => {
    await using talk = await startTextSession(model({ name: 'llama3.2', temperature: 0 }));
    replies({ text: 'Yes.' });
    await talk.turn('Hello');
    expect(server.requests[0]?.body).toMatchObject({
      model: 'llama3.2',
      temperature: 0,
      max_tokens: 200,
      stream: true,
    });
    expect(server.requests[0]?.body).not.toHaveProperty('tools');
    expect(server.requests[0]?.headers.authorization).toBe('Bearer right');
  });

  test('is asked for with the effort and the further options that the author has set', async () => {
    const options = { top_p: 0.9, parallel_tool_calls: true, chat_template_kwargs: { enable_thinking: false } };
    await using talk = await startTextSession(model({ reasoningEffort: 'minimal', options }));
    replies({ text: 'Yes.' });
    await talk.turn('Hello');
    const { body } = server.requests[0] ?? {};
    expect(body).toMatchObject({
      reasoning_effort: 'minimal',
      top_p: 0.9,
      chat_template_kwargs: options.chat_template_kwargs,
    });
    expect(body, 'refused where there are no tools').not.toHaveProperty('parallel_tool_calls');
  });

  test('that has ended is not waited for on a connection that stays open', async () => {
    await using talk = await startTextSession(model());
    replies({ text: 'We open at noon.', afterEnd: 'nothing' });
    expect(await talk.turn('Hello')).toBe('We open at noon.');
    expect(talk.failures()).toEqual([]);
  });

  test('is no longer asked for when it is interrupted', async () => {
    await using talk = await startTextSession(model());
    const started = Promise.withResolvers<AbortSignal>();
    server.reply(({ gone }) => {
      started.resolve(gone);
      return { text: 'word '.repeat(3), stall: { after: 2 } };
    });
    const handle = talk.session.generateReply({ userInput: 'Talk to me' });
    const gone = await started.promise;
    handle.interrupt();
    await handle.waitForPlayout();
    if (!gone.aborted) await new Promise((resolve) => gone.addEventListener('abort', resolve));
    expect(talk.failures()).toEqual([]);
  });
});

describe('a tool call', () => {
  test('goes to the tool with its arguments and comes back with its result', async () => {
    const { tool, runs } = bookingTool();
    await using talk = await startTextSession(model(), { tools: [tool] });
    replies(
      { text: 'One moment.', toolCalls: [{ name: 'book', arguments: { people: 4 } }] },
      { text: 'Booked as R1.' },
    );
    expect(await talk.turn('Four of us')).toBe('One moment.|Booked as R1.');
    expect(runs).toEqual([{ people: 4 }]);
    expect(lastMessages().slice(-2)).toMatchObject([
      { role: 'assistant', tool_calls: [{ id: 'call_1_0', function: { name: 'book', arguments: '{"people":4}' } }] },
      { role: 'tool', tool_call_id: 'call_1_0', content: '{"reference":"R1"}' },
    ]);
  });

  test.for([true, false])('may be one of three (without ids, in one piece: %s)', async (plainToolCalls) => {
    const { tool, runs } = bookingTool();
    await using talk = await startTextSession(model(), { tools: [tool] });
    const toolCalls = [1, 2, 3].map((people) => ({ name: 'book', arguments: { people } }));
    replies({ plainToolCalls, toolCalls }, { text: 'All booked.' });
    expect(await talk.turn('Three tables')).toBe('All booked.');
    expect(runs).toEqual([{ people: 1 }, { people: 2 }, { people: 3 }]);
  });

  test.for(['{"people": 4, "name": "Mei', 'nonsense((', '[4]', '"4"'])(
    'with the arguments %s does not run; the model is told and goes on',
    async (args) => {
      const { tool, runs } = bookingTool();
      await using talk = await startTextSession(model(), { tools: [tool] });
      replies({ toolCalls: [{ name: 'book', arguments: args }] }, { text: 'How many are you?' });
      expect(await talk.turn('A table')).toBe('How many are you?');
      expect(runs).toEqual([]);
      expect(lastMessages().at(-1)?.content).toContain('Invalid arguments for book');
      expect(talk.failures()).toEqual([]);
    },
  );

  test('that the length limit cut is a failure, not silence', async () => {
    const { tool, runs } = bookingTool();
    await using talk = await startTextSession(model(), { tools: [tool] });
    replies({ toolCalls: [{ name: 'book', arguments: '{"people": 4' }], finishReason: 'length' });
    await talk.turn('A table');
    expect(runs).toEqual([]);
    expect(talk.failures()).toMatchObject([{ kind: 'incomplete' }]);
  });
});

describe('the key', () => {
  test('is required for OpenAI itself', () => {
    const make = () => makeOpenAI({ provider: 'openai', maxOutputTokens: 1, timeoutMs: 1 }, {});
    expect(make).toThrow(ModelNotConfigured);
    expect(make).toThrow('OPENAI_API_KEY');
  });

  test('of the OpenAI account is never sent to another server', async () => {
    const open = await startOpenAIServer();
    const settings = { provider: 'openai', baseUrl: open.baseUrl, maxOutputTokens: 9, timeoutMs: 20_000 } as const;
    await using talk = await startTextSession(makeOpenAI(settings, { ...onThisMachine, OPENAI_API_KEY: 'precious' }));
    expect(await talk.turn('Hello')).toBe('Hello from the test model.');
    expect(open.requests[0]?.headers.authorization).toBe('Bearer no-key-needed');
    await open.close();
  });
});

describe('a server', () => {
  test.each([
    'http://169.254.169.254/v1',
    'https://169.254.169.254/v1',
    'https://localhost/v1',
    'http://models.internal/v1',
  ])('at %s is not asked, unless the operator lists it', (baseUrl) => {
    const settings = { provider: 'openai', baseUrl, maxOutputTokens: 9, timeoutMs: 20_000 } as const;
    expect(() => makeOpenAI(settings, { OPENAI_API_KEY: 'k' })).toThrow(ModelNotConfigured);
    const listed = variables({ providerHosts: [new URL(baseUrl).host] });
    expect(makeOpenAI(settings, listed)).toBeDefined();
  });

  test('is not asked where a redirect leads', async () => {
    const elsewhere = await startOpenAIServer();
    server.reply(() => ({ status: 307, location: `${elsewhere.baseUrl}/chat/completions` }));
    await using talk = await startTextSession(model());
    await talk.turn('Hello');
    expect(talk.failures()).toMatchObject([{ kind: 'unavailable' }]);
    expect(elsewhere.requests).toEqual([]);
    await elsewhere.close();
  });
});

describe('a failure', () => {
  const faults: [string, Reply, object][] = [
    ['a refused request', { status: 400, code: 'context_length_exceeded' }, { kind: 'rejected', statusCode: 400 }],
    ['a forbidden one', { status: 403 }, { kind: 'unauthorized', statusCode: 403 }],
    [
      'an account without credit',
      { status: 429, code: 'insufficient_quota' },
      { kind: 'unauthorized', statusCode: 429 },
    ],
    ['a long pause asked for', { status: 429, retryAfter: '120' }, { kind: 'rate_limited', retryAfterMs: 120_000 }],
    ['a stream that is no JSON', { text: 'one two three', malformed: { after: 2 } }, { kind: 'incomplete' }],
    ['an error within the stream', { text: 'one two three', errorEvent: { after: 2 } }, { kind: 'unavailable' }],
    ['a stream that ends too early', { text: 'one two three', cutOff: { after: 2 } }, { kind: 'incomplete' }],
    ['a lost connection', { text: 'one two three', drop: { after: 2 } }, { kind: 'unavailable' }],
  ];

  test.for(faults)('comes as an event before the turn is done: %s', async ([, reply, expected]) => {
    await using talk = await startTextSession(model());
    replies(reply);
    await talk.turn('Hello');
    expect(talk.failures()).toMatchObject([expected]);
    expect(server.requests).toHaveLength(1);
    const failedAt = talk.happenings.findIndex((happening) => 'failed' in happening);
    expect(failedAt).toBeLessThan(talk.happenings.findIndex((happening) => 'done' in happening));
  });

  test('in the middle leaves the words that were said, and the event comes before they are added', async () => {
    await using talk = await startTextSession(model());
    replies({ text: 'one two three', drop: { after: 2 } });
    expect(await talk.turn('Hello')).toBe('one two ');
    const words = talk.happenings.findIndex((happening) => 'added' in happening && happening.role === 'assistant');
    expect(talk.happenings[words]).toMatchObject({ added: 'one two ', interrupted: false });
    expect(talk.happenings.findIndex((happening) => 'failed' in happening)).toBeLessThan(words);
  });

  test('of the key is told apart', async () => {
    await using talk = await startTextSession(model({ apiKey: { env: 'WRONG_KEY' } }));
    await talk.turn('Hello');
    expect(talk.failures()).toMatchObject([{ kind: 'unauthorized', statusCode: 401 }]);
  });

  test('of a model that thinks without a word is a timeout, although its thoughts are sent', async () => {
    await using talk = await startTextSession(model({ timeoutMs: 300 }));
    replies({ text: 'late', thoughts: 1_000, chunkDelayMs: 20 });
    await talk.turn('Hello');
    expect(talk.failures()).toMatchObject([{ kind: 'timeout' }]);
  });

  test('by waiting comes sooner where the person hears the answer', async () => {
    let isSpoken = false;
    const settings = {
      provider: 'openai',
      baseUrl: server.baseUrl,
      apiKey: { env: 'KEY' },
      maxOutputTokens: 9,
    } as const;
    const timeouts = { timeoutMs: 20_000, spokenTimeoutMs: 100 };
    await using talk = await startTextSession(
      makeOpenAI({ ...settings, ...timeouts }, env, { isSpoken: () => isSpoken }),
    );
    replies({ text: 'Here I am.', firstTokenDelayMs: 400 });
    expect(await talk.turn('Hello')).toBe('Here I am.');
    isSpoken = true;
    await talk.turn('Hello');
    expect(talk.failures()).toMatchObject([{ kind: 'timeout' }]);
  });

  test('of a server that is not there is one of the connection', async () => {
    await using talk = await startTextSession(model({ baseUrl: 'http://127.0.0.1:9/v1', timeoutMs: 300 }));
    await talk.turn('Hello');
    expect(talk.failures()).toMatchObject([{ kind: 'unavailable' }]);
  });

  test.for([
    ['timeout', { text: 'late', firstTokenDelayMs: 60_000 }],
    ['stalled', { text: 'one two three', stall: { after: 2 } }],
  ] as const)('by waiting is a %s', async ([kind, reply]) => {
    await using talk = await startTextSession(model({ timeoutMs: 300 }));
    replies(reply);
    await talk.turn('Hello');
    expect(talk.failures()).toMatchObject([{ kind }]);
  });

  test.for([
    ['500', { status: 500 }],
    ['502 from a proxy', { status: 502, html: true }],
    ['a reset', { reset: true }],
    ['a short pause asked for', { status: 429, retryAfter: '0' }],
  ] as [string, Reply][])('that passes is not noticed: %s', async ([, reply]) => {
    await using talk = await startTextSession(model());
    replies(reply, reply, { text: 'Here I am.' });
    expect(await talk.turn('Hello')).toBe('Here I am.');
    expect(talk.failures()).toEqual([]);
  });

  test('that lasts is given up after three tries', async () => {
    await using talk = await startTextSession(model());
    let asked = 0;
    server.reply(() => {
      asked += 1;
      return { status: 503 };
    });
    await talk.turn('Hello');
    expect(asked).toBe(3);
    expect(talk.failures()).toMatchObject([{ kind: 'unavailable', statusCode: 503 }]);
  });

  test('leaves the session able to speak and to answer the next time', async () => {
    await using talk = await startTextSession(model());
    replies({ status: 400 });
    for (let turn = 1; turn <= 6; turn++) await talk.turn('Hello');
    expect(talk.failures()).toHaveLength(6);
    await talk.session.say('We are having trouble.').waitForPlayout();
    replies({ text: 'Back again.' });
    expect(await talk.turn('Are you there?')).toBe('Back again.');
    expect(talk.happenings).not.toContainEqual({ closed: 'error' });
  });

  test('closes the session on the fourth in a row if the host does not keep it alive', async () => {
    await using talk = await startTextSession(model(), { connOptions: {} });
    const closed = new Promise<void>((resolve) =>
      talk.session.once(voice.AgentSessionEventTypes.Close, () => resolve()),
    );
    replies({ status: 400 });
    for (let turn = 1; turn <= 4; turn++) await talk.turn('Hello');
    await closed;
    expect(talk.failures()).toHaveLength(4);
    expect(talk.happenings).toContainEqual({ closed: 'error' });
  });

  test('does not reject the run of a scenario', async () => {
    await using talk = await startTextSession(model());
    replies({ status: 400 });
    const run = talk.session.run({ userInput: 'Hello' });
    await run.wait();
    expect(talk.failures()).toHaveLength(1);
  });
});
