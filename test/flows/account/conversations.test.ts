import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Role } from '../../../services/contract/roles.ts';
import { type Database, openDatabase } from '../../../services/store/database.ts';
import { sql } from '../../../services/store/sql.ts';
import { startFakeHost } from '../../support/databases/fake-host.ts';
import { storeCall } from '../../support/databases/stored-call.ts';
import { join, say, storeConversation, storeSession } from '../../support/databases/stored-conversation.ts';
import { eventually } from '../../support/eventually.ts';
import { invitation, openPeople, Visitor } from '../../support/people/account.ts';
import { peopleKeys } from '../../support/world/master-keys.ts';
import { startWorld, type World } from '../../support/world/world.ts';

let world: World;
let people: Database;
let replicas: string[];
let db: Database;
let viewer: Visitor;
let admin: Visitor;
let addresses = 0;

beforeAll(async () => {
  world = await startWorld({ hosts: 0, workers: 0, apis: 2, settings: { peopleKeys, trustProxyHops: 1 } });
  replicas = world.apis.map(({ port }) => `http://127.0.0.1:${port}`);
  people = openPeople(world.serviceUrl);
  db = openDatabase(world.serviceUrl);
  [viewer, admin] = [await member('viewer'), await member('admin')];
});

afterAll(async () => {
  await Promise.all([people?.close(), db?.close()]);
  await world?.[Symbol.asyncDispose]();
});

async function member(role: Role): Promise<Visitor> {
  const number = ++addresses;
  const person = new Visitor(replicas, `203.0.113.${number}`);
  await person.accept(await invitation(people, world.tenant, `${role}${number}@example.com`, role), role);
  return person;
}

const where = () => ({ db, tenant: world.tenant });
const path = (rest: string) => `/api/tenants/${world.tenant}/${rest}`;

interface Heard {
  event: string;
  id: string | undefined;
  data: Record<string, unknown>;
}

/** A stream of events as a page reads it. */
async function listen(person: Visitor, rest: string, lastEventId?: string) {
  const leaving = new AbortController();
  const response = await fetch(`${world.baseUrl}${path(rest)}`, {
    headers: {
      authorization: `Bearer ${person.accessToken}`,
      ...(lastEventId === undefined ? {} : { 'last-event-id': lastEventId }),
    },
    signal: leaving.signal,
  });
  const heard: Heard[] = [];
  const ended = collect(response, heard).then(
    () => 'ended' as const,
    () => 'cut' as const,
  );
  return { response, heard, ended, leave: () => leaving.abort() };
}

async function collect(response: Response, heard: Heard[]): Promise<void> {
  let rest = '';
  for await (const chunk of response.body ?? []) {
    const blocks = (rest + Buffer.from(chunk).toString('utf8')).split('\n\n');
    rest = blocks.pop() ?? '';
    heard.push(...blocks.filter((block) => block.startsWith('event: ')).map(toHeard));
  }
}

function toHeard(block: string): Heard {
  const fields = new Map(block.split('\n').map((line) => line.split(/: (.*)/s) as [string, string]));
  return {
    event: fields.get('event') ?? '',
    id: fields.get('id'),
    data: JSON.parse(fields.get('data') ?? '{}') as Heard['data'],
  };
}

test('a live conversation is heard as it is spoken, from where one left off, until it is ended from the dashboard', async () => {
  const session = await storeSession(where());
  await join(where(), session, new Date());
  const live = `sessions/${session.id}/live`;
  const first = await listen(viewer, live);
  expect(first.response.headers.get('content-type')).toMatch(/^text\/event-stream/);
  await say(where(), session, { lines: [['USER', 'is anybody there']] });
  const line = await eventually('the line', async () => first.heard.find(({ event }) => event === 'message'));
  expect(line.data).toMatchObject({ role: 'USER', content: 'is anybody there' });
  first.leave();
  await say(where(), session, { lines: [['ASSISTANT', 'I am']] });
  const second = await listen(viewer, live, line.id);
  await eventually('the next line', async () => second.heard.find(({ event }) => event === 'message'));
  const ended = await admin.ask('POST', path(`sessions/${session.id}/end`));
  expect(ended.body).toMatchObject({ sessionId: session.id, status: 'ended', endReason: 'dashboard_ended' });
  expect(await second.ended).toBe('ended');
  const lines = second.heard.filter(({ event }) => event === 'message').map(({ data }) => data.content);
  expect([lines, second.heard.at(-1)?.event]).toEqual([['I am'], 'ended']);
  expect((await admin.ask('POST', path(`sessions/${session.id}/end`))).body).toEqual(ended.body);
  const audit = await admin.ask('GET', path(`audit?target=${session.id}`));
  expect(audit.body.items).toMatchObject([{ action: 'session.ended', target: session.id }]);
});

test('the list of live ones tells when one comes and goes, and sends nothing that its reader has', async () => {
  const list = await listen(viewer, 'live');
  const before = await eventually('the list', async () => list.heard.at(-1));
  const again = await listen(viewer, 'live', before.id);
  const session = await storeSession(where());
  const ids = (heard: Heard | undefined) => (heard?.data.items as { id: string }[] | undefined)?.map(({ id }) => id);
  await eventually('the new one', async () => ids(list.heard.at(-1))?.includes(session.id));
  await eventually('the new one', async () => ids(again.heard[0])?.includes(session.id));
  await admin.ask('POST', path(`sessions/${session.id}/end`));
  await eventually('without it', async () => !ids(list.heard.at(-1))?.includes(session.id));
  list.leave();
  again.leave();
});

test('who tries an agent gets a room once for an Idempotency-Key, and the conversation is marked', async () => {
  await using _host = await startFakeHost(world.serviceUrl, { warmRooms: 2 });
  const asked = { body: { agent: 'echo', interactionMode: 'TEXT' }, headers: { 'idempotency-key': 'k'.repeat(20) } };
  const opened = await admin.ask('POST', path('sessions'), asked);
  expect(opened.body, opened.text).toMatchObject({
    sessionId: expect.stringMatching(/^s_/),
    token: expect.any(String),
  });
  expect((await admin.ask('POST', path('sessions'), asked)).body.sessionId).toBe(opened.body.sessionId);
  const shown = await viewer.ask('GET', path(`sessions/${opened.body.sessionId}`));
  expect(shown.body).toMatchObject({ agent: 'echo', test: true, commit: null });
  expect((await viewer.ask('POST', path('sessions'), asked)).body.code).toBe('forbidden');
});

test('a conversation is read page by page, written as a scenario, and erased with a record', async () => {
  const session = await storeConversation(where());
  const of = (rest: string) => path(`sessions/${session.id}${rest}`);
  const first = await viewer.ask('GET', of('/messages?limit=1'));
  expect(first.body).toMatchObject({ items: [{ role: 'USER', content: 'hello' }], nextCursor: '1' });
  const next = await viewer.ask('GET', of(`/messages?limit=1&cursor=${first.body.nextCursor}`));
  expect(next.body).toMatchObject({ items: [{ role: 'ASSISTANT' }], nextCursor: null });
  const { body } = await admin.ask('GET', of('/scenario?name=it%20echoes'));
  expect(body).toMatchObject({ agent: 'echo', name: 'it echoes', yaml: expect.stringContaining('say: hello') });
  const blind = await admin.ask('DELETE', of(''));
  expect([blind.status, blind.body.code]).toEqual([428, 'precondition_required']);
  const stale = await admin.ask('DELETE', of(''), { headers: { 'if-match': '"of-another-day"' } });
  expect([stale.status, stale.body.code]).toEqual([412, 'precondition_failed']);
  const headers = { 'if-match': String((await admin.ask('GET', of(''))).headers.get('etag')) };
  const erased = await admin.ask('DELETE', of(''), { headers });
  expect(erased.body).toMatchObject({ id: session.id, agent: 'echo', erasedRows: { sessions: 1, messages: 2 } });
  expect((await viewer.ask('GET', of(''))).body.code).toBe('session_not_found');
  expect((await admin.ask('DELETE', of(''), { headers })).body).toEqual(erased.body);
  const audit = await admin.ask('GET', path(`audit?action=session.erased&target=${session.id}`));
  expect(audit.body.items).toHaveLength(1);
});

const ticketFor = async (person: Visitor, format: string): Promise<string> => {
  const answer = await person.ask('POST', path(`exports?format=${format}`));
  return `${world.baseUrl}${answer.body.url}`;
};

test('an export is fetched once, by nothing but its address', async () => {
  const session = await storeConversation(where());
  const url = await ticketFor(viewer, 'jsonl');
  expect(url).not.toContain(String(viewer.accessToken));
  const got = await fetch(url);
  expect(got.headers.get('content-disposition')).toBe('attachment; filename="conversations.jsonl"');
  const lines = (await got.text())
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { id: string });
  expect(lines.find(({ id }) => id === session.id)).toMatchObject({ messages: [{ content: 'hello' }, {}] });
  const again = await fetch(url);
  expect([again.status, await again.json()]).toMatchObject([401, { code: 'invalid_ticket' }]);
  const late = await ticketFor(viewer, 'jsonl');
  await world.admin.query(sql`update export_tickets set expires_at = expires_at - interval '60 seconds'`);
  expect((await fetch(late)).status).toBe(401);
});

test('what tools were called with is seen by editors, in a conversation and in an export, and by viewers in neither', async () => {
  const called = { name: 'book', status: 'ok' as const, arguments: { name: 'Ada Lovelace' }, result: '{"table":7}' };
  const { id } = await storeConversation(where(), { toolCalls: [called] });
  for (const [person, areSeen] of [
    [await member('editor'), true],
    [viewer, false],
  ] as const) {
    const shown = await person.ask('GET', path(`sessions/${id}`));
    const exported = await (await fetch(await ticketFor(person, 'jsonl'))).text();
    const line = exported.split('\n').find((one) => one.includes(id)) ?? '';
    for (const text of [shown.text, line]) {
      expect(text).toContain('"name":"book"');
      expect([text.includes('Ada Lovelace'), text.includes('table')]).toEqual([areSeen, areSeen]);
    }
  }
});

/** More than a connection holds while nobody reads. */
const storeMany = () =>
  world.admin.query(sql`
    insert into sessions (id, tenant_id, agent, version_hash, room_name, participant_identity, status, end_reason, ended_at, interaction_mode,
      language, channel, opened_by, deadline_at, summary)
    select 's_' || lpad(n::text, 22, '0'), tenant_id, agent, version_hash, 'many ' || n, 'person', 'ended', 'client_ended', now(), 'TEXT', 'en', 'api',
      'session', now(), repeat('x', 8000)
    from agents, generate_series(1, 6000) n where agent = 'echo' and tenant_id = ${world.tenant} on conflict do nothing`);
const memberPath = async (person: Visitor): Promise<string> => {
  const { id } = (await person.ask('GET', '/api/me')).body.person as { id: string };
  return path(`members/${id}`);
};
const whatever = { 'if-match': '*' };

test('who is removed sees no more: a stream ends, and an export under way is cut off, not whole', async () => {
  const leaver = await member('viewer');
  await storeMany();
  const stream = await listen(leaver, 'live');
  const got = await fetch(await ticketFor(leaver, 'csv'));
  const removed = await admin.ask('DELETE', await memberPath(leaver), { headers: whatever, replica: 1 });
  expect(removed.status).toBe(204);
  expect(await stream.ended).toBe('ended');
  await expect(got.text()).rejects.toThrow();
});

test('who signs out on another replica hears no more of a stream', async () => {
  const leaver = await member('viewer');
  const stream = await listen(leaver, 'live');
  expect((await leaver.ask('POST', '/auth/sign-out', { replica: 1 })).status).toBe(204);
  expect(await stream.ended).toBe('ended');
});

test('whoever may see arguments of tools no more, gets no more of an export that has them', async () => {
  const editor = await member('editor');
  await storeMany();
  const got = await fetch(await ticketFor(editor, 'jsonl'));
  const body = { role: 'viewer' };
  const changed = await admin.ask('PATCH', await memberPath(editor), { body, headers: whatever, replica: 1 });
  expect(changed.body, changed.text).toMatchObject({ role: 'viewer' });
  const cutOff = /"route":"[^"]*sessions\.jsonl","status":499/;
  await eventually('it is cut off', async () => cutOff.test(world.apis[0]?.output() ?? ''));
  await expect(got.text()).rejects.toThrow();
});

test('whom an agent has called is seen by editors; others see the last two digits, and the agent’s own number', async () => {
  const [from, to] = ['+4930123456', '+4940987654'];
  const id = await storeCall(where(), { from, to, trunk: null });
  const editor = await member('editor');
  for (const rest of ['outbound-calls?limit=1', `outbound-calls/${id}`]) {
    const callSeenBy = async (person: Visitor) => {
      const { body } = await person.ask('GET', path(rest));
      return (body.items as object[] | undefined)?.[0] ?? body;
    };
    expect(await callSeenBy(editor)).toMatchObject({ id, from, to });
    expect(await callSeenBy(viewer)).toMatchObject({ id, from, to: '…54' });
  }
});
