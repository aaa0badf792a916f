import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sql } from '../../../services/store/sql.ts';
import { eventually } from '../../support/eventually.ts';
import type { CreatedSession, Customer } from '../../support/people/customer.ts';
import { Person } from '../../support/people/person.ts';
import { SpeakingPerson } from '../../support/people/speaking-person.ts';
import { localSpeechVariables } from '../../support/world/local-speech.ts';
import { startWorld, type World } from '../../support/world/world.ts';

const withinHeader = 'x-parley-agent-within';

const create = async (customer: Customer, interactionMode = 'TEXT', headers: Record<string, string> = {}) => {
  const answer = await customer.call('POST', '/api/sessions', { body: { interactionMode }, headers });
  const body = (await answer.json()) as CreatedSession & { code?: string };
  return { status: answer.status, within: Number(answer.headers.get(withinHeader)), body };
};

const scaling = async (world: World) => {
  const answer = await fetch(`http://127.0.0.1:${world.apis[0]?.internalPort}/scaling`);
  return (await answer.json()) as Record<string, number>;
};

const endOf = async (world: World, sessionId: string) => {
  const [row] = await world.admin.query<{ end_reason: string | null; billed_seconds: number | null }>(
    sql`select end_reason, billed_seconds from sessions where id = ${sessionId}`,
  );
  return row;
};

describe('where hosts go to zero and sessions may wait', () => {
  let world: World;
  let customer: Customer;

  beforeAll(async () => {
    world = await startWorld({
      hosts: 0,
      settings: { coldStart: { seconds: 300, most: 2 }, voiceCapacity: 1 },
      env: await localSpeechVariables(),
    });
    customer = await world.customer();
  });

  afterAll(() => world?.[Symbol.asyncDispose]());

  test('a conversation begins when a host has come, written or spoken; until then the answer says how long it may take', async () => {
    const key = { 'idempotency-key': 'the-first-caller-of-the-day' };
    const written = await create(customer, 'TEXT', key);
    expect(written.status).toBe(200);
    expect(written.within).toBeGreaterThan(200);
    const spoken = await create(customer, 'VOICE');
    expect([spoken.status, spoken.within > 200]).toEqual([200, true]);
    // As many wait as may.
    const refused = await create(customer);
    expect([refused.status, refused.body.code]).toEqual([503, 'no_capacity']);
    expect(await scaling(world)).toMatchObject({
      live: 2,
      waiting: 2,
      refusedLastMinute: 1,
      wanted: 3,
      wantedVoice: 1,
    });

    const again = await create(customer, 'TEXT', key);
    expect([again.body.sessionId, again.within > 200]).toEqual([written.body.sessionId, true]);
    const read = await customer.call('GET', `/api/sessions/${written.body.sessionId}`);
    expect(Number(read.headers.get(withinHeader))).toBeGreaterThan(200);

    // Both persons are in their rooms before there is any agent.
    await using writer = await Person.join(written.body);
    await using speaker = await SpeakingPerson.join(spoken.body);
    await eventually('both are known to be there', async () => {
      const rows = await world.admin.query(sql`select 1 from sessions where status = 'running'`);
      return rows.length === 2;
    });
    await world.startHost();
    await writer.hears(/^Welcome to the echo\.$/);
    await writer.ask('hello', /^You said: hello$/);
    await speaker.reads(/^Welcome to the echo\.$/);
    await speaker.hearsSound({ since: 0 });

    const later = await customer.call('GET', `/api/sessions/${written.body.sessionId}`);
    expect(later.headers.get(withinHeader)).toBeNull();
    const figures = await customer.endSession(written.body.sessionId);
    expect(figures.endReason).toBe('client_ended');

    // The host carries one call: the next one waits until that is over.
    const next = await create(customer, 'VOICE');
    expect([next.status, next.within > 200]).toEqual([200, true]);
    await using caller = await SpeakingPerson.join(next.body);
    await customer.endSession(spoken.body.sessionId);
    await caller.reads(/^Welcome to the echo\.$/);
    await customer.endSession(next.body.sessionId);
  });
});

test('when no host comes, the session ends in time and says why, whether or not somebody has joined', async () => {
  await using world = await startWorld({ hosts: 0, settings: { coldStart: { seconds: 4 } } });
  const customer = await world.customer();
  const [joined, unjoined] = await Promise.all([create(customer), create(customer)]);
  expect([joined.status, unjoined.status]).toEqual([200, 200]);
  await using person = await Person.join(joined.body);
  for (const { body } of [joined, unjoined]) {
    const end = await eventually('it is over', async () => {
      const row = await endOf(world, body.sessionId);
      return row?.end_reason ? row : undefined;
    });
    expect(end).toEqual({ end_reason: 'agent_unavailable', billed_seconds: 0 });
  }
  await eventually('the person is sent out', () => person.disconnectedBecause !== undefined);
});
