import { randomUUID } from 'node:crypto';
import { cp, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import type { ConversationEvent } from '../../../services/core/deliveries/payload.ts';
import { sql } from '../../../services/store/sql.ts';
import { eventually } from '../../support/eventually.ts';
import { invitation, openPeople, Visitor } from '../../support/people/account.ts';
import type { Answer } from '../../support/people/rest.ts';
import { spoken } from '../../support/people/speech-sound.ts';
import { type Listener, openListener } from '../../support/people/understood.ts';
import { Phone, type PhoneCall } from '../../support/phone/phone.ts';
import { startTelephone, type Telephone } from '../../support/phone/telephone.ts';
import { WebhookReceiver } from '../../support/stand-ins/webhook-receiver.ts';
import { localSpeechVariables } from '../../support/world/local-speech.ts';
import { peopleKeys } from '../../support/world/master-keys.ts';

let telephone: Telephone;
let listener: Listener;
let receiver: WebhookReceiver;
let owner: Visitor;
let phone: Phone;
let base: string;

const ours = '+4930200001';
const theirs = '+491701234567';
const always = [{ days: ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'], from: '00:00', to: '24:00' }];

beforeAll(async () => {
  const variables = await localSpeechVariables();
  listener = openListener(variables, { en: ['welcome to the echo', 'hello to you'] });
  receiver = await WebhookReceiver.start();
  phone = await Phone.open({ user: theirs });
  const agents = await callingAgent();
  telephone = await startTelephone({ workers: 1, agents, settings: { peopleKeys, trustProxyHops: 1 } });
  const { world } = telephone;
  const people = openPeople(world.serviceUrl);
  owner = new Visitor([world.baseUrl]);
  await owner.accept(await invitation(people, world.tenant, 'owner@example.com', 'owner'), 'Owner');
  await people.close();
  base = `/api/tenants/${world.tenant}`;
  await openTheDoors();
});

afterAll(async () => {
  await phone?.[Symbol.asyncDispose]();
  await telephone?.[Symbol.asyncDispose]();
  await listener?.[Symbol.asyncDispose]();
  await receiver?.[Symbol.asyncDispose]();
});

beforeEach(() => {
  receiver.deliveries.length = 0;
  phone.whenCalled = { status: 200 };
});

/** The echo agent, which may call people, and tells a customer. */
async function callingAgent(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'parley-agents-'));
  await cp(new URL('../../agents/', import.meta.url).pathname, folder, { recursive: true });
  const echo = await readFile(join(folder, 'echo.yaml'), 'utf8');
  const message = 'Goodbye {{guest}}.';
  const calls = { hours: always, variables: { guest: { description: 'Whom it is for.' } }, message };
  const file = parse(echo);
  const more = {
    ...{ webhook: { url: receiver.url }, phone: { outbound: calls } },
    tools: [...file.tools, 'answering_machine'],
    script: {
      ...file.script,
      rules: [
        { when: '^please leave a message$', call: { tool: 'answering_machine' }, say: 'Goodbye.' },
        ...file.script.rules,
      ],
    },
  };
  await writeFile(join(folder, 'calling.yaml'), stringify({ ...file, ...more }, { aliasDuplicateObjects: false }));
  return folder;
}

/** One that lets everything through. Gives its id. */
async function addTrunk(fields: object): Promise<unknown> {
  const trunk = await owner.ask('POST', `${base}/trunks`, {
    body: {
      ...{ allowedAddresses: ['127.0.0.1'], allowedPrefixes: ['+49'] },
      ...{ maxDialsPerMinute: 100, maxCallsPerDay: 100, maxMinutesPerDay: 10_000 },
      ...fields,
    },
  });
  expect(trunk.status, trunk.text).toBe(201);
  return trunk.body.id;
}

/** A trunk to the phone, and a number by it. */
async function openTheDoors(): Promise<void> {
  const trunk = await addTrunk({ name: 'carrier', address: `127.0.0.1:${phone.port}` });
  const number = { number: ours, trunk, agent: 'calling' };
  const added = await owner.ask('POST', `${base}/numbers`, { body: number });
  expect(added.status, added.text).toBe(201);
}

const request = { from: ours, to: theirs, variables: { guest: 'Ada' }, consent: 'asked by the web form' };

const askForCall = (fields: object = {}, key: string = randomUUID()): Promise<Answer> =>
  owner.ask('POST', `${base}/outbound-calls`, {
    body: { ...request, ...fields },
    headers: { 'Idempotency-Key': key },
  });

/** Its id. */
async function called(fields: object = {}): Promise<string> {
  const answer = await askForCall(fields);
  expect(answer.status, answer.text).toBe(202);
  return String(answer.body.id);
}

/** As the API shows it, once it is stored so: a person may not ask the API every tenth of a second. */
async function becomes(id: string, state: string): Promise<Record<string, unknown>> {
  const isSo = sql`select 1 from calls where id = ${id} and state = ${state}`;
  await eventually(`the call is ${state}`, async () => (await telephone.world.admin.query(isSo)).length > 0).catch(
    async (error: Error) => {
      const [row] = await telephone.world.admin.query(
        sql`select state, sip_code, refused_because from calls where id = ${id}`,
      );
      throw new Error(`${error.message}: ${JSON.stringify(row)}\n${telephone.world.output().slice(-6_000)}`);
    },
  );
  return (await owner.ask('GET', `${base}/outbound-calls/${id}`)).body;
}

const toldOf = (session: unknown) =>
  eventually('the customer is told', () =>
    receiver.deliveries
      .map(({ body }) => JSON.parse(body) as ConversationEvent)
      .find(({ data }) => data.sessionId === session),
  );

/**
 * Says it, and again every 10 s until the fact is there: sound goes in real time, and on a busy machine frames come too late to be
 * understood.
 */
async function sayingAgain<Fact>(call: PhoneCall, sound: Int16Array, fact: Promise<Fact>): Promise<Fact> {
  call.media.play(sound);
  const repeating = setInterval(() => call.media.play(sound), 10_000);
  return fact.finally(() => clearInterval(repeating));
}

const rings = (since: number): Promise<PhoneCall> => eventually('the phone rings', () => phone.calls[since]);

describe('an agent calls somebody', () => {
  test('who answers, is greeted, hangs up, and the customer is told of a call of that length', async () => {
    phone.whenCalled = { status: 180 };
    const before = phone.calls.length;
    const id = await called();
    const call = await rings(before);
    await becomes(id, 'ringing');
    const pickedUpAt = Date.now();
    call.pickUp();
    await becomes(id, 'answered');
    await eventually(
      'the agent has greeted',
      async () => (await listener.understands(call.media.heard(0), 'en')) === 'welcome to the echo',
      { everyMs: 1_000 },
    );
    call.hangUp();
    const over = await becomes(id, 'ended');
    expect(over).toMatchObject({ from: ours, to: theirs, agent: 'calling', sipCode: 200, hangupBy: 'person' });
    const { data } = await toldOf(over.sessionId);
    expect(data).toMatchObject({
      ...{ channel: 'phone', endReason: 'call_ended', interactionMode: 'VOICE' },
      call: {
        direction: 'outbound',
        from: ours,
        to: theirs,
        answeredAt: over.answeredAt,
        hangupBy: 'person',
        sipCode: 200,
      },
    });
    // From the answer, not from when it began to ring: both are the wall clock of this machine.
    const [from, until] = [over.answeredAt, over.endedAt].map((at) => Date.parse(String(at)));
    expect(from).toBeGreaterThanOrEqual(pickedUpAt);
    // Presence is seen a moment before or after the call's own times: at most 1 s is what a clean leave may cost.
    expect(Math.abs(data.billedSeconds - ((until ?? 0) - (from ?? 0)) / 1_000)).toBeLessThanOrEqual(1);
    expect(phone.invites).toBe(before + 1);
    const shown = await owner.ask('GET', `${base}/sessions/${over.sessionId}`);
    expect(shown.body).toMatchObject({ channel: 'phone', call: { id, from: ours, to: theirs, state: 'ended' } });
    const listed = await owner.ask('GET', `${base}/sessions?channel=phone`);
    expect(listed.body.items).toMatchObject([{ id: over.sessionId }]);
  });

  test('a machine that answers has a message left with it, and the customer is told that nobody was there', async () => {
    const before = phone.calls.length;
    const id = await called();
    const call = await rings(before);
    await becomes(id, 'answered');
    const over = await sayingAgain(call, await spoken('please leave a message'), becomes(id, 'ended'));
    expect(over).toMatchObject({ hangupBy: 'agent' });
    const { data } = await toldOf(over.sessionId);
    expect(data).toMatchObject({ outcome: 'no_input', endReason: 'agent_ended' });
    expect(data.toolCalls).toMatchObject([{ name: 'answering_machine', ok: true }]);
    expect(data.transcript.at(-1)).toMatchObject({ role: 'ASSISTANT', content: 'Goodbye Ada.' });
  });

  test.each([
    ['busy', 486],
    ['declined', 603],
    ['no_answer', 480],
    ['invalid_number', 404],
    ['unreachable', 503],
  ])('%s: nothing is billed, and the customer is told by the code %i', async (state, status) => {
    phone.whenCalled = { status, reason: 'No' };
    const id = await called();
    const over = await becomes(id, state);
    expect(over).toMatchObject({ sipCode: status, answeredAt: null });
    const { data } = await toldOf(over.sessionId);
    expect(data).toMatchObject({ startedAt: null, billedSeconds: 0, outcome: 'no_input', call: { sipCode: status } });
  });

  test('a carrier that is not there: unreachable, without a code', async () => {
    const trunk = await addTrunk({ name: 'away', address: '127.0.0.1:9', transport: 'tcp' });
    const from = '+4930200002';
    expect(
      (await owner.ask('POST', `${base}/numbers`, { body: { number: from, trunk, agent: 'calling' } })).status,
    ).toBe(201);
    expect(await becomes(await called({ from }), 'unreachable')).toMatchObject({ sipCode: null, answeredAt: null });
  });

  test('a call that rings is cancelled: it stops ringing, and stays cancelled', async () => {
    phone.whenCalled = { status: 180 };
    const before = phone.calls.length;
    const id = await called();
    await rings(before);
    await becomes(id, 'ringing');
    const answer = await owner.ask('POST', `${base}/outbound-calls/${id}/cancel`);
    expect([answer.status, answer.body.state], answer.text).toEqual([200, 'canceled']);
    await eventually('it stops ringing', () => phone.calls[before]?.state === 'over');
    expect((await owner.ask('POST', `${base}/outbound-calls/${id}/cancel`)).body.state).toBe('canceled');
    const { data } = await toldOf(answer.body.sessionId);
    expect(data).toMatchObject({ endReason: 'dashboard_ended', billedSeconds: 0, call: { answeredAt: null } });
    expect(phone.invites).toBe(before + 1);
  });

  test('a request that is repeated, at once and later, calls once', async () => {
    phone.whenCalled = { status: 486, reason: 'Busy Here' };
    const before = phone.invites;
    const key = randomUUID();
    const answers = await Promise.all([1, 2, 3, 4].map(() => askForCall({}, key)));
    const ids = new Set(answers.map(({ body }) => body.id));
    expect(ids.size).toBe(1);
    await becomes([...ids].join(), 'busy');
    expect((await askForCall({}, key)).body.id).toBe([...ids].join());
    expect((await askForCall({ to: '+491700000000' }, key)).body.code).toBe('idempotency_key_reused');
    expect(phone.invites).toBe(before + 1);
  });
});

describe('what the worker leaves behind when it is killed', () => {
  test('while it rings: the call goes on by itself, is answered, and rings nobody twice', async () => {
    const { world } = telephone;
    phone.whenCalled = { status: 180 };
    const before = phone.calls.length;
    const id = await called();
    const call = await rings(before);
    await becomes(id, 'ringing');
    await world.workers[0]?.kill();
    await world.startWorker();
    call.pickUp();
    await becomes(id, 'answered');
    call.hangUp();
    expect(await becomes(id, 'ended')).toMatchObject({ hangupBy: 'person' });
    expect(phone.invites).toBe(before + 1);
  });
});

test('no number of a person is in a log, nor in the name of a room or of a participant', async () => {
  const { world } = telephone;
  const rooms = await world.admin.query<{ room_name: string }>(sql`select room_name from calls`);
  expect(rooms.filter(({ room_name }) => room_name.includes('170'))).toEqual([]);
  expect(world.output()).not.toContain(theirs.slice(1));
});
