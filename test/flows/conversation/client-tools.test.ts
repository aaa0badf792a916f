import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { RpcError } from '@livekit/rtc-node';
import { AccessToken } from 'livekit-server-sdk';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sql } from '../../../services/store/sql.ts';
import { eventually } from '../../support/eventually.ts';
import type { Customer } from '../../support/people/customer.ts';
import { Person } from '../../support/people/person.ts';
import { PersonProcess } from '../../support/people/person-process.ts';
import { startWiretap } from '../../support/rooms/wiretap.ts';
import { obey, order } from '../../support/stand-ins/obedient-model.ts';
import { type OpenAIServer, startOpenAIServer } from '../../support/stand-ins/openai-server.ts';
import { addAgents, openaiModel } from '../../support/world/agent-files.ts';
import { startWorld, type World } from '../../support/world/world.ts';

const clientTool = (name: string, fields = '') => `
name: ${name}
description: Shows a place on the person's map.
parameters:
  type: object
  required: [place]
  properties: { place: { type: string, maxLength: 20000 }, zoom: { type: integer } }
client: true
${fields}`;

let world: World;
let model: OpenAIServer;
let guide: Customer;

beforeAll(async () => {
  model = await startOpenAIServer();
  model.reply(obey);
  world = await startWorld({ workers: 0 });
  const tools = {
    show_map: 'timeout: 60s',
    show_again: 'timeout: 60s\nidempotent: true',
    show_quickly: 'timeout: 300ms',
  };
  for (const [name, fields] of Object.entries(tools))
    await writeFile(join(world.agentsFolder, 'tools', `${name}.yaml`), clientTool(name, fields));
  await addAgents(world, {
    guide: {
      model: openaiModel(model.baseUrl),
      script: undefined,
      tools: [...Object.keys(tools), 'end_call'],
      limits: { textLength: 32_000 },
    },
  });
  guide = await world.customer('guide');
});

afterAll(async () => {
  await world?.[Symbol.asyncDispose]();
  await model?.[Symbol.asyncDispose]();
});

interface Asked {
  callId: string;
  arguments: Record<string, unknown>;
  by: string;
}

/** A page that answers a tool, and remembers what it was asked. */
function answer(person: Person, tool: string, reply: (asked: Asked) => string | Promise<string>): Asked[] {
  const all: Asked[] = [];
  person.room.localParticipant?.registerRpcMethod(tool, async ({ payload, callerIdentity }) => {
    const asked = { ...(JSON.parse(payload) as Omit<Asked, 'by'>), by: callerIdentity };
    all.push(asked);
    return reply(asked);
  });
  return all;
}

const calls = (sessionId: string) =>
  world.admin.query<{ id: string; name: string; status: string; result: string | null }>(
    sql`select id, name, status, result from tool_calls where session_id = ${sessionId} order by sequence`,
  );

async function startTalk() {
  const session = await guide.createSession();
  const person = await Person.join(session);
  await person.hears(/^Welcome/);
  const end = async () => {
    await guide.endSession(session.sessionId);
    await person.leave();
  };
  return { ...session, person, [Symbol.asyncDispose]: end };
}

const toKoeln = { place: 'Köln' };

test("a tool of the page is called under its name, by the agent, with the call's id, and its answer is used", async () => {
  await using talk = await startTalk();
  const asked = answer(talk.person, 'show_map', ({ arguments: { place } }) => JSON.stringify({ shown: place }));
  const reply = await talk.person.ask(order({ name: 'show_map', arguments: toKoeln }), /^\[/);
  expect(reply.text).toBe('[{"shown":"Köln"}]');
  const [call] = await calls(talk.sessionId);
  expect(asked).toEqual([{ callId: call?.id, arguments: toKoeln, by: 'agent' }]);
  await eventually('it is written down', async () => (await calls(talk.sessionId))[0]?.status === 'ok');
});

test('arguments that the tool does not allow never reach the page', async () => {
  await using talk = await startTalk();
  const asked = answer(talk.person, 'show_map', () => 'shown');
  for (const given of [{ place: 1 }, {}, { ...toKoeln, zoom: 'near' }, { ...toKoeln, page: 'admin' }])
    await talk.person.ask(order({ name: 'show_map', arguments: given }), /The arguments for show_map are wrong/);
  await talk.person.ask(
    order({ name: 'show_map', arguments: { place: 'x'.repeat(16_000) } }),
    /too long .*did not run/,
  );
  expect(asked).toEqual([]);
});

describe('the model is told, and the conversation goes on, when the page', () => {
  test.for([
    [
      'refuses',
      () => Promise.reject(new RpcError(4000, 'The map is closed.')),
      /refused show_map: The map is closed\./,
    ],
    ['breaks', () => Promise.reject(new Error('SECRET-STACK')), /failed at show_map\. Whether it had an effect/],
    ['answers garbage', () => 'a\0b', /with something that cannot be read\. Whether/],
    ['answers nothing', () => '', /It worked; there is nothing more to tell\./],
    ['answers more than the room carries', () => 'x'.repeat(500_000), /more than it can send|cut here/],
  ] as [string, () => string | Promise<string>, RegExp][])('%s', async ([, reply, told]) => {
    await using talk = await startTalk();
    answer(talk.person, 'show_map', reply);
    const { text } = await talk.person.ask(order({ name: 'show_map', arguments: toKoeln }), /^\[/);
    expect(text.length > 300 ? '[cut here]' : text).toMatch(told);
    expect(text).not.toContain('SECRET-STACK');
    await talk.person.ask('Still there?', /^You said: Still there\?$/);
  });

  test('has nothing that answers', async () => {
    await using talk = await startTalk();
    const { text } = await talk.person.ask(order({ name: 'show_map', arguments: toKoeln }), /^\[/);
    expect(text).toContain("The person's application cannot do show_map, so it did not run.");
    await talk.person.ask('Still there?', /^You said: Still there\?$/);
  });

  test('does not answer in time', async () => {
    await using talk = await startTalk();
    answer(talk.person, 'show_quickly', () => new Promise(() => undefined));
    const { text } = await talk.person.ask(order({ name: 'show_quickly', arguments: toKoeln }), /^\[/);
    expect(text).toMatch(/did not answer .*within 0\.3 seconds.* Whether it had an effect is not known\./);
    await talk.person.ask('Still there?', /^You said: Still there\?$/);
  });

  test('is not there any more', async () => {
    const leaving = Promise.withResolvers<void>();
    model.reply(async (request) => {
      await leaving.promise;
      return obey(request);
    });
    await using talk = await startTalk();
    const before = model.requests.length;
    await talk.person.write(order({ name: 'show_map', arguments: toKoeln }));
    await eventually('the model is asked', () => model.requests.length > before);
    await talk.person.leave();
    leaving.resolve();
    const result = await eventually(
      'the call is over',
      async () => (await calls(talk.sessionId))[0]?.result ?? undefined,
    );
    expect(result).toMatch(/could not be reached for show_map; they may have gone\./);
    model.reply(obey);
  });
});

test('nobody else in the room hears what a page is asked or answers', async () => {
  using wire = startWiretap();
  const session = await guide.createSession();
  await using _page = new PersonProcess(session, order({ name: 'show_map', arguments: { place: 'ARGUMENT-MARKER' } }), {
    answers: { show_map: JSON.stringify({ note: `RESULT-${'MARKER'}` }) },
    waitsFor: 'somebody-else',
  });
  const [row] = await world.admin.query<{ room_name: string }>(
    sql`select room_name from sessions where id = ${session.sessionId}`,
  );
  const token = new AccessToken(world.rooms.apiKey, world.rooms.apiSecret, { identity: 'somebody-else' });
  token.addGrant({ roomJoin: true, room: row?.room_name ?? '' });
  await using other = await Person.join({ wsUrl: world.rooms.url, token: await token.toJwt() });
  const listened = answer(other, 'show_map', () => 'intercepted');
  // What the agent says aloud everybody hears: here, what the page had answered.
  await other.hears(/^\[\{"note":"RESULT-MARKER"\}\]$/);
  expect(listened).toEqual([]);
  expect(wire.hears('ARGUMENT-MARKER')).toBe(false);
  expect(wire.hears('show_map')).toBe(false);
  const others = wire.streams().filter((stream) => !stream.endsWith('lk.transcription from agent'));
  expect(new Set(others)).toEqual(new Set(['textStreamOpened lk.chat from person']));
  await guide.endSession(session.sessionId);
});

describe('a call that its host did not live to finish', () => {
  /** Kills the host while the page holds the call; the next one takes over. */
  async function dieDuring(talk: { sessionId: string; person: Person }, tool: string): Promise<Asked[]> {
    let held = false;
    const asked = answer(talk.person, tool, () => {
      if (held) return 'shown at last';
      held = true;
      return new Promise(() => undefined);
    });
    const host = await world.hostOf(talk.sessionId);
    await world.startHost();
    await talk.person.write(order({ name: tool, arguments: toKoeln }));
    await eventually('the page is asked', () => asked.length === 1);
    await host.kill();
    return asked;
  }

  test('is not asked again, and the model is told that nobody knows', async () => {
    await using talk = await startTalk();
    const asked = await dieDuring(talk, 'show_map');
    await talk.person.hears(/^\[The outcome of this call is unknown/);
    expect(asked).toHaveLength(1);
    expect(await calls(talk.sessionId)).toMatchObject([{ name: 'show_map', status: 'unknown' }]);
  });

  test('is asked again under its own id where the tool is idempotent', async () => {
    await using talk = await startTalk();
    const asked = await dieDuring(talk, 'show_again');
    await talk.person.hears(/shown at last/);
    expect(asked.map(({ callId }) => callId)).toEqual([asked[0]?.callId, asked[0]?.callId]);
    expect(await calls(talk.sessionId)).toMatchObject([{ name: 'show_again', status: 'ok', id: asked[0]?.callId }]);
  });

  test('is done by the next host where it is built in', async () => {
    await using talk = await startTalk();
    const asked = answer(talk.person, 'show_map', () => new Promise(() => undefined));
    const host = await world.hostOf(talk.sessionId);
    await talk.person.write(order({ name: 'show_map', arguments: toKoeln }));
    await eventually('the page is asked', () => asked.length === 1);
    await host.kill();
    // A built-in call takes no time in which its host could be killed; this is what it leaves when that happens.
    await world.admin.query(
      sql`update tool_calls set name = 'end_call', arguments = '{}' where session_id = ${talk.sessionId}`,
    );
    await world.startHost();
    await talk.person.hears(/^\["The conversation ends now/);
    await eventually('the conversation is over', async () => {
      const [session] = await world.admin.query<{ end_reason: string | null }>(
        sql`select end_reason from sessions where id = ${talk.sessionId}`,
      );
      return session?.end_reason === 'agent_ended';
    });
    expect(await calls(talk.sessionId)).toMatchObject([{ name: 'end_call', status: 'ok' }]);
  });
});
