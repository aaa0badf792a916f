import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sql } from '../../../services/store/sql.ts';
import { epochOf, everythingAnsweredOnce, storedLines } from '../../proofs/proof-world.ts';
import { eventually } from '../../support/eventually.ts';
import type { Customer } from '../../support/people/customer.ts';
import { agentOf, endTalks, nothingLostOrRepeated, startTalk, type Talk, write } from '../../support/people/talk.ts';
import { type OpenAIServer, startOpenAIServer } from '../../support/stand-ins/openai-server.ts';
import { startToolServer, type ToolServer } from '../../support/stand-ins/tool-server.ts';
import { addAgents, openaiModel } from '../../support/world/agent-files.ts';
import type { ServiceProcess } from '../../support/world/service-process.ts';
import { startWorld, type World } from '../../support/world/world.ts';

let world: World;
let model: OpenAIServer;
let tools: ToolServer;
let echo: Customer;
let thinker: Customer;

beforeAll(async () => {
  [model, tools] = await Promise.all([startOpenAIServer(), startToolServer()]);
  world = await startWorld({ workers: 0, env: { TEST_TOOLS_URL: tools.url } });
  await addAgents(world, { thinker: { model: openaiModel(model.baseUrl), script: undefined } });
  [echo, thinker] = [await world.customer('echo'), await world.customer('thinker')];
});

afterAll(async () => {
  await world?.[Symbol.asyncDispose]();
  await Promise.all([model?.[Symbol.asyncDispose](), tools?.[Symbol.asyncDispose]()]);
});

/** SIGTERM, and how the process ended: by itself, or it would be killed and have a signal. */
async function stopInOrder(host: ServiceProcess): Promise<{ code: number | null; signal: string | null }> {
  const exited = host.exited as Promise<[number | null, string | null]>;
  await host.stop(25_000);
  const [code, signal] = await exited;
  return { code, signal };
}

const takenOver = (talk: Talk, epoch: number) =>
  eventually('another host has the session', async () => ((await epochOf(world, talk.sessionId)) ?? 0) > epoch, {
    everyMs: 10,
  });

test('a host that is stopped with 20 conversations gives them all to the other, and no text is lost or repeated', async () => {
  const [old] = world.hosts;
  const talks = await Promise.all(Array.from({ length: 20 }, () => startTalk(echo)));
  await world.startHost();
  const agents = talks.map(agentOf);
  const before = (await epochOf(world, talks[0]?.sessionId ?? '')) ?? 0;
  await Promise.all(talks.map((talk, i) => write(talk, `just before ${i}`)));
  const stopped = stopInOrder(old as ServiceProcess);
  await Promise.all(
    talks.map(async (talk, i) => {
      await write(talk, `as it stops ${i}`);
      await takenOver(talk, before);
      await write(talk, `as another takes over ${i}`);
    }),
  );
  expect(await stopped).toEqual({ code: 0, signal: null });
  await Promise.all(
    talks.map(async (talk, i) => {
      await eventually('another agent is there', () => agentOf(talk) !== undefined && agentOf(talk) !== agents[i]);
      await write(talk, `afterwards ${i}`);
    }),
  );
  for (const talk of talks) {
    await talk.person.hears(/^You said: afterwards/);
    await nothingLostOrRepeated(world, talk);
  }
  await endTalks(echo, talks);
});

/** A host beats once a second and looks for work four times as often: it has had time to take what is free. */
async function successorLooksInVain(): Promise<void> {
  const beats = async () => {
    const rows = await world.admin.query<{ heartbeat: string }>(sql`select heartbeat from hosts where not draining`);
    return Number(rows[0]?.heartbeat);
  };
  const before = await beats();
  await eventually('the successor has beaten three times', async () => (await beats()) >= before + 3);
}

test('what a host said last has arrived before its successor takes the place, however slow the room server is', async () => {
  let release = () => {};
  const gate = new Promise<void>((resolve) => {
    release = resolve;
  });
  model.reply(async () => {
    await gate;
    return { text: 'These are the last words.' };
  });
  const talks = await Promise.all(Array.from({ length: 8 }, () => startTalk(thinker)));
  const host = await world.hostOf(talks[0]?.sessionId ?? '');
  await world.startHost();
  const epochs = () => Promise.all(talks.map(({ sessionId }) => epochOf(world, sessionId)));
  const before = await epochs();
  const asked = model.requests.length;
  for (const talk of talks) await write(talk, 'Say something.');
  await eventually('the model is asked by all', () => model.requests.length >= asked + talks.length);
  const stopped = stopInOrder(host);
  world.rooms.pause();
  release();
  await successorLooksInVain();
  expect(await epochs()).toEqual(before);
  world.rooms.resume();
  expect(await stopped).toEqual({ code: 0, signal: null });
  for (const [i, talk] of talks.entries()) {
    await takenOver(talk, before[i] ?? 0);
    await talk.person.hears(/^These are the last words\.$/);
    await everythingAnsweredOnce(world, talk.sessionId, ['Say something.']);
  }
  await endTalks(thinker, talks);
});

test('what nobody knows to have arrived is said again by the successor, under its name, and is stored once', async () => {
  const talk = await startTalk(echo);
  const host = await world.hostOf(talk.sessionId);
  await world.startHost();
  const acknowledged = holdAcknowledgements(talk);
  await write(talk, 'hello');
  const { segment, speaker } = await talk.person.hears(/^You said: hello$/);
  expect(await stopInOrder(host)).toEqual({ code: 0, signal: null });
  const again = await eventually('it is said again', () =>
    talk.person.replies.find((reply) => reply.segment === segment && reply.speaker !== speaker && reply.endedAt),
  );
  expect(again.text).toBe('You said: hello');
  acknowledged();
  await eventually('the successor knows that it has arrived', async () => {
    const doubtful = sql`select 1 from messages where session_id = ${talk.sessionId} and draft is not null`;
    return (await world.admin.query(doubtful)).length === 0;
  });
  await write(talk, 'and on');
  await talk.person.hears(/^You said: and on$/);
  await nothingLostOrRepeated(world, talk);
  await endTalks(echo, [talk]);
});

/** This person's client says only from now on what it has. */
function holdAcknowledgements({ person }: Talk): () => void {
  const gate = Promise.withResolvers<string>();
  person.room.localParticipant?.registerRpcMethod('parley.arrived', () => gate.promise);
  return () => gate.resolve('');
}

describe('a host that is stopped in the middle of a turn', () => {
  test('lets a tool finish, which is not called again', async () => {
    const talk = await startTalk(echo);
    const host = await world.hostOf(talk.sessionId);
    await world.startHost();
    await write(talk, 'wait 1500 handover');
    await eventually('the tool is called', () => tools.requests.some(({ body }) => body.label === 'handover'));
    expect(await stopInOrder(host)).toEqual({ code: 0, signal: null });
    await talk.person.hears(/^Waited: handover\.$/);
    await talk.person.ask('and on', /^You said: and on$/);
    await everythingAnsweredOnce(world, talk.sessionId, ['wait 1500 handover', 'and on']);
    expect(tools.requests.filter(({ body }) => body.label === 'handover')).toHaveLength(1);
    await endTalks(echo, [talk]);
  });

  test('cuts a reply that is too long, and its successor goes on with it', async () => {
    model.reply(({ body }) =>
      JSON.stringify(body.messages).includes('One two')
        ? { text: 'And the rest.' }
        : { text: `One two ${'and more '.repeat(200)}`, chunkDelayMs: 100 },
    );
    const talk = await startTalk(thinker);
    const host = await world.hostOf(talk.sessionId);
    await world.startHost();
    await write(talk, 'Tell me everything.');
    await eventually('the reply has begun', () => talk.person.replies.some(({ text }) => text.startsWith('One two')));
    expect(await stopInOrder(host)).toEqual({ code: 0, signal: null });
    await talk.person.hears(/^And the rest\.$/);
    const lines = await eventually('the turn is closed', async () => {
      const stored = await storedLines(world, talk.sessionId);
      return stored.find(({ role }) => role === 'USER')?.answered_at ? stored : undefined;
    });
    expect(lines.map(({ role, content }) => `${role}: ${content.slice(0, 13)}`)).toEqual([
      'ASSISTANT: Welcome to th',
      'USER: Tell me every',
      'ASSISTANT: One two and m',
      'ASSISTANT: And the rest.',
    ]);
    await endTalks(thinker, [talk]);
  });
});

describe('the only host', () => {
  test('stops by itself, and a new one goes on with its conversations', async () => {
    const running = () => world.hosts.filter((host) => host.running);
    await Promise.all(running().slice(1).map(stopInOrder));
    const [only] = running();
    const talks = await Promise.all(Array.from({ length: 3 }, () => startTalk(echo)));
    for (const talk of talks) {
      await write(talk, 'before');
      await talk.person.hears(/^You said: before$/);
    }
    const agents = talks.map(agentOf);
    expect(await stopInOrder(only as ServiceProcess)).toEqual({ code: 0, signal: null });
    expect(await world.admin.query(sql`select 1 from warm_rooms`)).toEqual([]);
    expect(await world.admin.query(sql`select 1 from hosts`)).toEqual([]);
    await world.startHost();
    await Promise.all(
      talks.map(async (talk, i) => {
        await eventually('another agent is there', () => agentOf(talk) !== undefined && agentOf(talk) !== agents[i]);
        await write(talk, 'after');
        await talk.person.hears(/^You said: after$/);
        await nothingLostOrRepeated(world, talk);
      }),
    );
    await endTalks(echo, talks);
  });

  test('that is stopped as a text comes in leaves it to the next one, which answers it once', async () => {
    const [only] = world.hosts.filter((host) => host.running);
    const talk = await startTalk(echo);
    tools.requests.length = 0;
    // While the tool runs, the next text is heard and waits.
    await write(talk, 'wait 1000 busy');
    await eventually('the tool is called', () => tools.requests.some(({ body }) => body.label === 'busy'));
    await write(talk, 'left to the next');
    await eventually('it is stored', async () => (await storedLines(world, talk.sessionId)).length >= 3);
    expect(await stopInOrder(only as ServiceProcess)).toEqual({ code: 0, signal: null });
    await world.startHost();
    await talk.person.hears(/^You said: left to the next$/);
    await everythingAnsweredOnce(world, talk.sessionId, talk.written);
    expect(tools.requests.filter(({ body }) => body.label === 'busy')).toHaveLength(1);
    await endTalks(echo, [talk]);
  });
});

test('a host that has grown too far stays while it is the only one, and leaves after its last conversation when another is there', async () => {
  await Promise.all(world.hosts.filter((host) => host.running).map(stopInOrder));
  const grown = await world.startHost({ settings: { retireAtMb: 1 } });
  const talk = await startTalk(echo);
  await write(talk, 'before');
  await talk.person.hears(/^You said: before$/);
  const agent = agentOf(talk);
  await world.startHost();
  await eventually('it takes nothing more', async () =>
    (await world.admin.query<{ draining: boolean }>(sql`select draining from hosts`)).some(({ draining }) => draining),
  );
  const next = await startTalk(echo);
  expect((await world.hostOf(next.sessionId)).pid).not.toBe(grown.pid);
  await write(talk, 'after');
  await talk.person.hears(/^You said: after$/);
  expect(agentOf(talk), 'it goes on with what it has').toBe(agent);
  await nothingLostOrRepeated(world, talk);
  await endTalks(echo, [talk, next]);
  expect(await grown.exited).toEqual([0, null]);
});
