import { llm, voice } from '@livekit/agents';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { ModelsInOrder } from '../../services/agent/models/fallback.ts';
import { ModelNotConfigured, makeModel, ProviderMissing } from '../../services/agent/models/model.ts';
import { makeOpenAI } from '../../services/agent/providers/openai/model.ts';
import { ScriptedLLM } from '../../services/agent/providers/scripted/model.ts';
import type {
  CompiledAgent,
  CompiledModel,
  CompiledScript,
  ScriptRule,
} from '../../services/agent-files/definition/compiled.ts';
import { providerHere as providerOf } from '../../services/agent-files/definition/model-choice.ts';
import { onThisMachine } from '../support/stand-ins/on-this-machine.ts';
import { type OpenAIServer, startOpenAIServer } from '../support/stand-ins/openai-server.ts';
import { startTextSession } from './text-session.ts';

let good: OpenAIServer;
let bad: OpenAIServer;
beforeAll(async () => {
  good = await startOpenAIServer();
  bad = await startOpenAIServer();
});
afterAll(() => Promise.all([good.close(), bad.close()]));
beforeEach(() => {
  for (const server of [good, bad]) server.requests.length = 0;
  good.reply(() => ({ text: 'From the second.' }));
  bad.reply(() => ({ status: 400 }));
});

const rule = (given: Partial<ScriptRule>): ScriptRule => ({
  when: [],
  needs: [],
  say: {},
  failed: {},
  end: false,
  ...given,
});

const script: CompiledScript = {
  rules: [
    rule({ when: ['bye'], say: { en: 'See you soon.', de: 'Bis bald.' }, end: true }),
    rule({
      when: ['order (?<order>\\d+)'],
      call: { tool: 'look_up', arguments: { order: '{{order}}' } },
      say: { en: 'It is {{result.state}}.' },
      failed: { en: 'I cannot find it.' },
    }),
  ],
  fallback: { en: 'From the script.', de: 'Aus dem Skript.' },
};

const parameters = {
  type: 'object' as const,
  properties: { order: { type: 'integer' as const } },
  required: ['order'],
};

function tools(lookUp: (order: unknown) => unknown) {
  const ended: string[] = [];
  const list = [
    llm.tool({ name: 'look_up', description: 'Looks up.', parameters, execute: async (args: unknown) => lookUp(args) }),
    llm.tool({
      name: 'end_call',
      description: 'Ends.',
      parameters: { type: 'object', properties: {} },
      execute: async () => {
        ended.push('ended');
      },
    }),
  ];
  return { list, ended };
}

const scripted = (language = 'en', chunkDelayMs?: number) =>
  new ScriptedLLM({
    script,
    tools: [{ name: 'look_up', parameters }],
    language: () => language,
    ...(chunkDelayMs !== undefined && { chunkDelayMs }),
  });

const settings = (given: Partial<CompiledModel>): CompiledModel => ({
  provider: 'openai',
  maxOutputTokens: 50,
  timeoutMs: 20_000,
  ...given,
});

const agent = (model: CompiledModel, ...modelFallbacks: CompiledModel[]) =>
  ({
    agent: 'desk',
    model,
    modelFallbacks,
    script,
    tools: [],
    context: { maxTokens: 8_000, rule: 'drop-oldest' },
  }) as Partial<CompiledAgent> as CompiledAgent;

const make = (given: CompiledAgent, env: Record<string, string> = {}) =>
  makeModel(given, { language: () => 'en', isSpoken: () => false }, { ...onThisMachine, ...env });

describe('the scripted model in a session', () => {
  test('answers word by word, with usage', async () => {
    const stream = scripted().chat({ chatCtx: llm.ChatContext.empty() });
    const chunks: llm.ChatChunk[] = [];
    for await (const chunk of stream) chunks.push(chunk);
    expect(chunks.map((chunk) => chunk.delta?.content ?? chunk.usage?.completionTokens)).toEqual([
      'From ',
      'the ',
      'script.',
      4,
    ]);
  });

  test('calls a tool with typed arguments and tells the result', async () => {
    const orders: unknown[] = [];
    const { list } = tools((args) => {
      orders.push(args);
      return { state: 'on its way' };
    });
    await using talk = await startTextSession(scripted(), { tools: list });
    expect(await talk.turn('Where is order 17?')).toBe('It is on its way.');
    expect(orders).toEqual([{ order: 17 }]);
  });

  test('tells that a tool failed', async () => {
    const { list } = tools(() => {
      throw new llm.ToolError('no such order');
    });
    await using talk = await startTextSession(scripted(), { tools: list });
    expect(await talk.turn('Where is order 17?')).toBe('I cannot find it.');
  });

  test('says goodbye and ends the conversation in the same step', async () => {
    const { list, ended } = tools(() => ({}));
    await using talk = await startTextSession(scripted(), { tools: list });
    expect(await talk.turn('bye')).toBe('See you soon.');
    expect(ended).toEqual(['ended']);
  });

  test('runs a whole turn by session.run', async () => {
    const { list } = tools(() => ({ state: 'here' }));
    await using talk = await startTextSession(scripted(), { tools: list });
    const result = talk.session.run({ userInput: 'order 3' });
    await result.wait();
    result.expect.containsFunctionCall({ name: 'look_up', args: { order: 3 } });
    result.expect.containsMessage({ role: 'assistant' });
  });

  test('goes on where another process left off, without hearing anything new', async () => {
    const begun = new llm.ChatContext([
      llm.ChatMessage.create({ role: 'user', content: ['Where is order 17?'] }),
      llm.FunctionCall.create({ callId: 'c', name: 'look_up', args: '{"order":17}' }),
      llm.FunctionCallOutput.create({ callId: 'c', name: 'look_up', output: '{"state":"in Bremen"}', isError: false }),
    ]);
    // Calls of tools that the agent does not have would be left out of its history.
    const agent = new voice.Agent({ instructions: '', chatCtx: begun, tools: tools(() => ({})).list });
    await using talk = await startTextSession(scripted(), { agent });
    const handle = talk.session.generateReply({});
    await handle.waitForPlayout();
    expect(talk.happenings).toContainEqual({ added: 'It is in Bremen.', role: 'assistant', interrupted: false });
  });

  test('stops when it is interrupted', async () => {
    await using talk = await startTextSession(scripted('en', 200));
    const speaking = new Promise<void>((resolve) => {
      talk.session.on(voice.AgentSessionEventTypes.AgentStateChanged, ({ newState }) => {
        if (newState === 'speaking') resolve();
      });
    });
    const handle = talk.session.generateReply({ userInput: 'hm' });
    await speaking;
    handle.interrupt();
    await handle.waitForPlayout();
    expect(talk.happenings).toContainEqual({
      added: expect.stringMatching(/^From (the )?$/),
      role: 'assistant',
      interrupted: true,
    });
  });
});

describe('models in order', () => {
  const two = () => [settings({ baseUrl: bad.baseUrl }), settings({ baseUrl: good.baseUrl })] as const;

  test('the next one answers when the first fails, and nobody hears of it', async () => {
    await using talk = await startTextSession(make(agent(...two())));
    expect(await talk.turn('Hello')).toBe('From the second.');
    expect(talk.failures()).toEqual([]);
    expect(good.requests).toHaveLength(1);
  });

  test.for(['stop', 'length', 'content_filter'] as const)(
    'the next one answers when the first ends with %s and has said nothing',
    async (finishReason) => {
      bad.reply(() => ({ text: ' ', finishReason }));
      await using talk = await startTextSession(make(agent(...two())));
      expect((await talk.turn('Hello')).trim()).toBe('From the second.');
      expect(talk.failures()).toEqual([]);
    },
  );

  test('with none left that says anything, the failure is that the answer is incomplete', async () => {
    bad.reply(() => ({ finishReason: 'length' }));
    good.reply(() => ({}));
    await using talk = await startTextSession(make(agent(...two())));
    await talk.turn('Hello');
    expect(talk.failures()).toMatchObject([{ kind: 'incomplete' }]);
  });

  test('a model that hung in two conversations costs a third one nothing', async () => {
    bad.reply(() => ({ text: 'late', firstTokenDelayMs: 60_000 }));
    const hanging = agent(settings({ baseUrl: bad.baseUrl, timeoutMs: 300 }), settings({ baseUrl: good.baseUrl }));
    for (let conversation = 1; conversation <= 3; conversation++) {
      await using talk = await startTextSession(make(hanging));
      expect(await talk.turn('Hello')).toBe('From the second.');
    }
    expect(bad.requests).toHaveLength(2);
  });

  test('what an answer without words used is counted with that of the next one', async () => {
    await using first = await startTextSession(make(agent(settings({ baseUrl: good.baseUrl }))));
    await first.turn('Hello');
    const usageIn = (talk: typeof first) =>
      talk.happenings.reduce((sum, it) => sum + ('usage' in it ? it.usage.prompt : 0), 0);
    bad.reply(() => ({ finishReason: 'length' }));
    await using second = await startTextSession(make(agent(...two())));
    await second.turn('Hello');
    expect(usageIn(second)).toBe(2 * usageIn(first));
  });

  test('what a server does not count is estimated, so that budgets hold', async () => {
    good.reply(() => ({ text: 'We open at noon, every day of the week.', usage: 'missing' }));
    await using talk = await startTextSession(make(agent(settings({ baseUrl: good.baseUrl }))));
    await talk.turn('When do you open?');
    const [used] = talk.happenings.flatMap((happening) => ('usage' in happening ? [happening.usage] : []));
    expect(used?.completion).toBe(10);
    expect(used?.prompt).toBeGreaterThan(20);
  });

  test('usage is reported once for an answer', async () => {
    await using talk = await startTextSession(make(agent(...two())));
    await talk.turn('Hello');
    const used = talk.happenings.filter((happening) => 'usage' in happening && happening.usage.completion > 0);
    expect(used).toHaveLength(1);
  });

  test('one that failed is passed over until it has rested, then asked again', async () => {
    let now = 0;
    const models = two().map((model) => makeOpenAI(model, onThisMachine)) as [llm.LLM, llm.LLM];
    await using talk = await startTextSession(new ModelsInOrder(models, { now: () => now }));
    await talk.turn('Hello');
    await talk.turn('Hello');
    expect(bad.requests).toHaveLength(1);
    now = 31_000;
    bad.reply(() => ({ text: 'From the first.' }));
    expect(await talk.turn('Hello')).toBe('From the first.');
  });

  test('nothing is tried again once a word was said', async () => {
    bad.reply(() => ({ text: 'one two three', drop: { after: 2 } }));
    await using talk = await startTextSession(make(agent(...two())));
    expect(await talk.turn('Hello')).toBe('one two ');
    expect(talk.failures()).toMatchObject([{ kind: 'unavailable' }]);
    expect(good.requests).toHaveLength(0);
  });

  test('when all fail, the failure of the last is the one that is told', async () => {
    good.reply(() => ({ status: 429, retryAfter: '600' }));
    await using talk = await startTextSession(make(agent(...two())));
    await talk.turn('Hello');
    expect(talk.failures()).toMatchObject([{ kind: 'rate_limited', retryAfterMs: 600_000 }]);
    good.reply(() => ({ text: 'Here again.' }));
    expect(await talk.turn('Hello')).toBe('Here again.');
  });

  test('an interrupted answer stops at the provider', async () => {
    const started = Promise.withResolvers<AbortSignal>();
    good.reply(({ gone }) => {
      started.resolve(gone);
      return { text: 'one two three', stall: { after: 2 } };
    });
    await using talk = await startTextSession(make(agent(...two())));
    const handle = talk.session.generateReply({ userInput: 'Hello' });
    const gone = await started.promise;
    handle.interrupt();
    await handle.waitForPlayout();
    if (!gone.aborted) await new Promise((resolve) => gone.addEventListener('abort', resolve));
    expect(talk.failures()).toEqual([]);
  });

  test('the script can be the last resort', async () => {
    await using talk = await startTextSession(
      make(agent(settings({ baseUrl: bad.baseUrl }), settings({ provider: 'scripted' }))),
    );
    expect(await talk.turn('Hello')).toBe('From the script.');
  });
});

describe('a conversation that is longer than the model takes', () => {
  const long = 'word '.repeat(3_000);
  const sizeOf = (messages: unknown) => JSON.stringify(messages).length;
  const contextError = { status: 400, code: 'context_length_exceeded' } as const;

  test('is bounded in each request, not only at the beginning of a turn', async () => {
    const { list } = tools(() => ({ state: 'x'.repeat(20_000) }));
    await using talk = await startTextSession(make(agent(settings({ baseUrl: good.baseUrl }))), {
      tools: list,
      maxToolSteps: 20,
    });
    good.reply(() =>
      good.requests.length <= 6
        ? { toolCalls: [{ name: 'look_up', arguments: { order: good.requests.length } }] }
        : { text: 'Found.' },
    );
    expect(await talk.turn('Where is my order?')).toBe('Found.');
    expect(good.requests).toHaveLength(7);
    for (const { body } of good.requests) {
      expect(sizeOf(body.messages)).toBeLessThan(8_000 * 4);
      expect(body.messages).toContainEqual({ role: 'user', content: 'Where is my order?' });
    }
  });

  test.for([
    contextError,
    { status: 400, message: "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens." },
    { status: 400, message: 'the request exceeds the available context size, try increasing it' },
  ])('is cut in half and asked for once more: %j', async (refusal) => {
    const past = new llm.ChatContext(
      [1, 2, 3, 4].map((at) => llm.ChatMessage.create({ role: 'user', content: `${at} ${long.slice(0, 5_000)}` })),
    );
    good.reply(({ body }) => (sizeOf(body.messages) > 14_000 ? refusal : { text: 'Here I am.' }));
    const desk = new voice.Agent({ instructions: 'You are a test.', chatCtx: past });
    await using talk = await startTextSession(make(agent(settings({ baseUrl: good.baseUrl }))), { agent: desk });
    expect(await talk.turn('Hello')).toBe('Here I am.');
    expect(talk.failures()).toEqual([]);
    expect(good.requests).toHaveLength(2);
    expect(good.requests[1]?.body.messages.at(-1)).toEqual({ role: 'user', content: 'Hello' });
    await talk.turn('Still there?');
    expect(good.requests, 'what it takes is known from then on').toHaveLength(3);
  });

  test('is given to the next model when half is too long as well', async () => {
    bad.reply(() => contextError);
    await using talk = await startTextSession(
      make(agent(settings({ baseUrl: bad.baseUrl }), settings({ baseUrl: good.baseUrl }))),
    );
    expect(await talk.turn(long.slice(0, 9_000))).toBe('From the second.');
    expect(bad.requests).toHaveLength(2);
  });
});

describe('choosing', () => {
  test('auto is the script until there is a key or a server', () => {
    const auto = settings({ provider: 'auto' });
    expect(providerOf(auto, {})).toBe('scripted');
    expect(providerOf(auto, { OPENAI_API_KEY: '' })).toBe('scripted');
    expect(providerOf(auto, { OPENAI_API_KEY: 'k' })).toBe('openai');
    expect(providerOf({ ...auto, baseUrl: 'http://127.0.0.1:11434/v1' }, {})).toBe('openai');
    expect(providerOf({ ...auto, apiKey: { env: 'MINE' } }, { OPENAI_API_KEY: 'k' })).toBe('scripted');
  });

  test('a provider that is not built in says so', () => {
    expect(() => make(agent(settings({ provider: 'google' as never })))).toThrow(ProviderMissing);
    expect(() => make(agent(settings({ provider: 'scripted' }), settings({ provider: 'anthropic' as never })))).toThrow(
      'anthropic',
    );
  });

  test('a missing script is a fault of the configuration', () => {
    const { script: _none, ...without } = agent(settings({ provider: 'auto' }));
    expect(() => make(without as CompiledAgent)).toThrow(ModelNotConfigured);
  });
});
