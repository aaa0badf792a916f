import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { sql } from '../../../services/store/sql.ts';
import { everythingAnsweredOnce, storedLines } from '../../proofs/proof-world.ts';
import { eventually } from '../../support/eventually.ts';
import type { Customer } from '../../support/people/customer.ts';
import { Person } from '../../support/people/person.ts';
import { type ChatMessage, type OpenAIServer, startOpenAIServer } from '../../support/stand-ins/openai-server.ts';
import { startToolServer, type ToolServer } from '../../support/stand-ins/tool-server.ts';
import { addAgents, openaiModel } from '../../support/world/agent-files.ts';
import { startWorld, type World } from '../../support/world/world.ts';

let world: World;
let model: OpenAIServer;
let spare: OpenAIServer;
let tools: ToolServer;
let desk: Customer;

beforeAll(async () => {
  [model, spare, tools] = await Promise.all([
    startOpenAIServer({ apiKey: 'key-of-the-first' }),
    startOpenAIServer(),
    startToolServer(),
  ]);
  const env = { TEST_TOOLS_URL: tools.url, TEST_MODEL_KEY: 'key-of-the-first' };
  world = await startWorld({ workers: 0, env });
  await mkdir(join(world.agentsFolder, 'knowledge'), { recursive: true });
  await writeFile(join(world.agentsFolder, 'knowledge', 'menu.md'), '# Menu\n\nThe soup of the day is borscht.\n');
  await writeFile(join(world.agentsFolder, 'knowledge', 'hours.md'), '# Hours\n\nOpen from noon to midnight.\n');
  const first = openaiModel(model.baseUrl, {
    apiKey: { env: 'TEST_MODEL_KEY' },
    temperature: 0.2,
    maxOutputTokens: 99,
  });
  await addAgents(world, {
    desk: {
      prompt: 'You are the desk. It is {{date}} in {{timezone}}, on the channel {{channel}}.',
      timezone: 'Europe/Berlin',
      knowledge: ['menu.md', 'hours.md'],
      tools: ['wait', 'end_call'],
      model: { ...first, fallbacks: [{ provider: 'openai', name: 'spare-model', baseUrl: spare.baseUrl }] },
      script: undefined,
    },
    patient: {
      model: first,
      script: undefined,
      tools: ['wait'],
      filler: { after: '300ms', say: { en: 'I am at it.', de: 'Ich bin dran.' } },
    },
    forgetful: { model: first, script: undefined, context: { maxTokens: 1200, instructionTokens: 1000 } },
  });
  desk = await world.customer('desk');
});

beforeEach(() => {
  model.reply(() => ({ text: 'Certainly.' }));
  spare.reply(() => ({ text: 'From the spare model.' }));
});

afterAll(async () => {
  await world?.[Symbol.asyncDispose]();
  await Promise.all([model, spare, tools].map((server) => server?.[Symbol.asyncDispose]()));
});

const textOf = ({ content }: ChatMessage): string =>
  typeof content === 'string' ? content : ((content ?? []) as { text?: string }[]).map(({ text }) => text).join('');
const lastRequest = () => {
  const request = model.requests.at(-1);
  if (!request) throw new Error('the model was not asked');
  return request.body;
};
const heardByModel = () =>
  lastRequest()
    .messages.filter(({ role }) => role === 'user' || role === 'assistant')
    .map((message) => `${message.role}: ${textOf(message)}`);
const instructions = () =>
  lastRequest()
    .messages.filter(({ role }) => role === 'system' || role === 'developer')
    .map(textOf)
    .join('\n');

describe('a conversation on a model of the OpenAI protocol', () => {
  test('gives the model its instructions: prompt with its values, language, and all knowledge in its order', async () => {
    const session = await desk.createSession({ language: 'de' });
    await using person = await Person.join(session);
    await person.ask('Was gibt es?', /^Certainly\.$/);
    const told = instructions();
    const date = new Intl.DateTimeFormat('en-GB', {
      timeZone: 'Europe/Berlin',
      weekday: 'long',
      day: 'numeric',
      month: 'long',
      year: 'numeric',
    }).format(new Date());
    expect(told).toContain(`You are the desk. It is ${date} in Europe/Berlin, on the channel api.`);
    expect(told).toContain('Deutsch (de)');
    expect(told.indexOf('borscht')).toBeGreaterThan(0);
    expect(told.indexOf('Open from noon')).toBeGreaterThan(told.indexOf('borscht'));
    await desk.endSession(session.sessionId);
  });

  test('keeps the knowledge when a session has a prompt of its own', async () => {
    const session = await desk.createSession({ systemPrompt: 'You are the night desk.' });
    await using person = await Person.join(session);
    await person.ask('What is there?', /^Certainly\.$/);
    expect(instructions()).toContain('You are the night desk.');
    expect(instructions()).toContain('borscht');
    expect(instructions()).not.toContain('You are the desk.');
    await desk.endSession(session.sessionId);
  });

  test('asks the declared model with its settings, its key and its tools', async () => {
    const session = await desk.createSession();
    await using person = await Person.join(session);
    await person.ask('Hello', /^Certainly\.$/);
    const { model: name, temperature, stream, tools: offered, ...rest } = lastRequest();
    expect({ name, temperature, stream }).toEqual({ name: 'test-model', temperature: 0.2, stream: true });
    expect(rest.max_tokens ?? rest.max_completion_tokens).toBe(99);
    expect(model.requests.at(-1)?.headers.authorization).toBe('Bearer key-of-the-first');
    const wait = offered?.find((tool) => tool.function.name === 'wait');
    expect(wait?.function.parameters).toMatchObject({
      required: ['milliseconds', 'label'],
      additionalProperties: false,
    });
    expect(offered?.map((tool) => tool.function.name).toSorted()).toEqual(['end_call', 'wait']);
    await desk.endSession(session.sessionId);
  });

  test('that is slow is filled by a line of the agent’s file, which neither a client nor the model takes for an answer', async () => {
    const patient = await world.customer('patient');
    const session = await patient.createSession({ language: 'de' });
    await using person = await Person.join(session);
    const { promise: filled, resolve: release } = Promise.withResolvers<void>();
    model.reply(async () => {
      await filled;
      return { text: 'Certainly.' };
    });
    await person.write('Hello');
    expect(await person.hears(/^Ich bin dran\.$/)).toMatchObject({ isFiller: true });
    expect([...person.room.remoteParticipants.values()].map(({ attributes }) => attributes['lk.agent.state'])).toEqual([
      'thinking',
    ]);
    release();
    expect(await person.hears(/^Certainly\.$/)).toMatchObject({ isFiller: false });
    await person.ask('And thank you', /^Certainly\.$/);
    expect(heardByModel().join('\n')).not.toContain('Ich bin dran');
    await eventually('the filler is stored as a line that answers nothing', async () => {
      const lines = await storedLines(world, session.sessionId);
      return lines.some(({ role, content, turn }) => role === 'ASSISTANT' && content === 'Ich bin dran.' && turn === 0);
    });
    await patient.endSession(session.sessionId);
  });

  test('lets the words out as they come, in one stream', async () => {
    let release = () => {};
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    model.reply(async ({ body }) => {
      if (body.messages.at(-1)?.role !== 'tool') {
        return { text: 'One two. ', toolCalls: [{ name: 'wait', arguments: { milliseconds: 0, label: 'stream' } }] };
      }
      await gate;
      return { text: 'three four.' };
    });
    const session = await desk.createSession();
    await using person = await Person.join(session);
    await person.hears(/^Welcome/);
    await person.write('Count.');
    const begun = await eventually('the first words are there while the model still thinks', () =>
      person.replies.find(({ text }) => text === 'One two. '),
    );
    expect(begun.endedAt).toBeUndefined();
    release();
    const whole = await person.hears(/four\.$/);
    expect(whole).toBe(begun);
    expect(whole.text).toBe('One two. three four.');
    expect(whole.chunks).toBeGreaterThan(1);
    await desk.endSession(session.sessionId);
  });

  test('calls a tool and says what came of it, and knows of both in the next turn', async () => {
    model.reply(({ body }) => {
      const last = body.messages.at(-1);
      if (last?.role === 'tool') return { text: `Booked: ${JSON.parse(textOf(last)).label}.` };
      return last && textOf(last).includes('Book')
        ? { toolCalls: [{ name: 'wait', arguments: { milliseconds: 5, label: 'table7' } }] }
        : { text: 'As I said.' };
    });
    const session = await desk.createSession();
    await using person = await Person.join(session);
    await person.ask('Book it.', /^Booked: table7\.$/);
    await person.ask('Which one?', /^As I said\.$/);
    expect(heardByModel()).toEqual([
      'assistant: Welcome to the echo.',
      'user: Book it.',
      'assistant: ',
      'assistant: Booked: table7.',
      'user: Which one?',
    ]);
    const [called] = lastRequest().messages.flatMap((message) => message.tool_calls ?? []);
    expect(called?.function).toMatchObject({ name: 'wait' });
    expect(
      lastRequest()
        .messages.filter(({ role }) => role === 'tool')
        .map(textOf),
    ).toEqual(['{"label":"table7"}']);
    const rows = await world.admin.query(
      sql`select name, status, arguments from tool_calls where session_id = ${session.sessionId}`,
    );
    expect(rows).toEqual([{ name: 'wait', status: 'ok', arguments: { milliseconds: 5, label: 'table7' } }]);
    await everythingAnsweredOnce(world, session.sessionId, ['Book it.', 'Which one?']);
    await desk.endSession(session.sessionId);
  });

  test('ends when the model calls end_call, after its closing words', async () => {
    model.reply(({ body }) =>
      body.messages.at(-1)?.role === 'tool'
        ? { text: 'This must not be asked for.' }
        : { text: 'Goodbye, then.', toolCalls: [{ name: 'end_call', arguments: { reason: 'said goodbye' } }] },
    );
    const session = await desk.createSession();
    await using person = await Person.join(session);
    await person.ask('Bye.', /^Goodbye, then\.$/);
    await eventually('the room is gone', () => person.disconnectedBecause !== undefined);
    expect((await desk.endSession(session.sessionId)).endReason).toBe('agent_ended');
    expect(person.texts().at(-1)).toBe('Goodbye, then.');
  });

  test('counts the tokens that the provider says it used, for the session and for the agent', async () => {
    const used = async (query: ReturnType<typeof sql>) =>
      Number((await world.admin.query<{ tokens: number }>(query))[0]?.tokens ?? 0);
    const ofAgent = () => used(sql`select sum(tokens)::integer as tokens from agent_usage where agent = 'desk'`);
    const session = await desk.createSession();
    await using person = await Person.join(session);
    await person.ask('How much?', /^Certainly\.$/);
    const tokens = await eventually('the tokens are stored', async () => {
      const stored = await used(sql`select tokens::integer from sessions where id = ${session.sessionId}`);
      return stored > 0 && stored;
    });
    const prompt = Math.ceil(JSON.stringify(lastRequest().messages).length / 4);
    expect(tokens).toBeGreaterThan(prompt);
    expect(tokens).toBeLessThan(prompt + 100);
    await eventually("the agent's day has them too", async () => (await ofAgent()) >= tokens);
    await desk.endSession(session.sessionId);
  });

  test('goes over to the next model when the first one fails, without a word about it', async () => {
    model.reply(() => ({ status: 401 }));
    const session = await desk.createSession();
    await using person = await Person.join(session);
    await person.ask('Anybody?', /^From the spare model\.$/);
    expect(person.texts()).toEqual(['Welcome to the echo.', 'From the spare model.']);
    expect(spare.requests.at(-1)?.body.model).toBe('spare-model');
    await desk.endSession(session.sessionId);
  });

  test('that grows longer than its context loses its oldest turns, never its instructions', async () => {
    const forgetful = await world.customer('forgetful');
    const session = await forgetful.createSession();
    await using person = await Person.join(session);
    for (let turn = 1; turn <= 6; turn += 1) await person.ask(`turn ${turn} ${'word '.repeat(150)}`, /^Certainly\.$/);
    const heard = heardByModel();
    expect(instructions()).toContain('SECRET-PROMPT-MARKER');
    expect(heard.at(-1)).toContain('turn 6');
    expect(heard.some((text) => text.includes('turn 5'))).toBe(true);
    expect(heard.some((text) => text.includes('turn 1'))).toBe(false);
    await forgetful.endSession(session.sessionId);
  });
});

test('no provider is asked before the person has written, nor for a session that nobody joins', async () => {
  const before = model.requests.length;
  const empty = await desk.createSession();
  const session = await desk.createSession();
  await using person = await Person.join(session);
  await person.hears(/^Welcome/);
  await desk.endSession(empty.sessionId);
  expect(model.requests).toHaveLength(before);
  await person.ask('Now.', /^Certainly\.$/);
  expect(model.requests).toHaveLength(before + 1);
  await desk.endSession(session.sessionId);
});

test('a host names the keys that live agents need and it has not, as it starts', async () => {
  await addAgents(world, {
    keyless: { model: { provider: 'openai', name: 'x', apiKey: { env: 'NO_SUCH_KEY' } }, script: undefined },
  });
  const host = await world.startHost();
  await eventually('it says so', () => host.output().includes('a live agent needs keys'));
  const warnings = host
    .output()
    .split('\n')
    .filter((line) => line.includes('a live agent needs keys'));
  expect(warnings.map((line) => JSON.parse(line))).toMatchObject([
    { agent: 'keyless', missing: ['The model of openai needs a key, and NO_SUCH_KEY is not set here.'] },
  ]);
});
