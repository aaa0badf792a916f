import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Role } from '../../../services/contract/roles.ts';
import type { Database } from '../../../services/store/database.ts';
import { sql } from '../../../services/store/sql.ts';
import { invitation, openPeople, Visitor } from '../../support/people/account.ts';
import { ask } from '../../support/people/rest.ts';
import { peopleKeys } from '../../support/world/master-keys.ts';
import { startWorld, type World } from '../../support/world/world.ts';

let world: World;
let people: Database;
let replicas: string[];
let addresses = 0;

beforeAll(async () => {
  world = await startWorld({ hosts: 0, workers: 0, apis: 2, settings: { peopleKeys, trustProxyHops: 1 } });
  replicas = world.apis.map(({ port }) => `http://127.0.0.1:${port}`);
  people = openPeople(world.serviceUrl);
});

afterAll(async () => {
  await people?.close();
  await world?.[Symbol.asyncDispose]();
});

async function member(role: Role): Promise<Visitor> {
  const person = new Visitor(replicas, `198.51.100.${++addresses}`);
  await person.accept(await invitation(people, world.tenant, `${role}-${addresses}@example.com`, role), role);
  return person;
}

const path = (rest = '') => `/api/tenants/${world.tenant}/agents/echo/credentials${rest}`;
const hour = { graceSeconds: 3600 };

/** What the agents' door says to a key, from an address that nobody has counted. */
async function answerTo(key: string, replica = 0) {
  const headers = { 'x-forwarded-for': `203.0.${113 + (addresses >> 8)}.${++addresses & 255}` };
  const began = Date.now();
  const { status } = await ask(replicas[replica] ?? '', 'GET', '/api/sessions/languages', { key, headers });
  return { status, began, ended: Date.now(), replica };
}

test('the key is read by editors, its beginning by viewers, and neither ever sees a secret again', async () => {
  const { apiKey, apiSecret } = await world.credentials('echo');
  const seen = await (await member('viewer')).ask('GET', path());
  expect(seen.body).toMatchObject({ agent: 'echo', keys: [{ prefix: apiKey.slice(0, 10), expiresAt: null }] });
  expect(seen.body).toMatchObject({ secrets: [{ prefix: apiSecret.slice(0, 10), expiresAt: null }] });
  expect(seen.text).not.toContain(apiKey);
  const read = await (await member('editor')).ask('GET', path());
  expect(read.body.apiKey).toBe(apiKey);
  expect(read.text).not.toContain(apiSecret);
});

test('a key is regenerated once for an Idempotency-Key, on whichever replica it is repeated, and both work for the grace', async () => {
  const admin = await member('admin');
  const { apiKey: old } = await world.credentials('echo');
  const headers = { 'idempotency-key': 'the first of two rotations' };
  const asked = [0, 1, 0, 1].map((replica) =>
    admin.ask('POST', path('/key/regenerate'), { body: hour, headers, replica }),
  );
  const answers = await Promise.all(asked);
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  const [apiKey = '', ...others] = new Set(answers.map(({ body }) => String(body.apiKey)));
  expect([apiKey.slice(0, 3), others]).toEqual(['pk_', []]);
  for (const replica of [0, 1])
    expect([(await answerTo(old, replica)).status, (await answerTo(apiKey, replica)).status]).toEqual([200, 200]);
  const other = await admin.ask('POST', path('/key/regenerate'), { body: { graceSeconds: 0 }, headers });
  expect([other.status, other.body.code]).toEqual([422, 'idempotency_key_reused']);
  const log = await admin.ask('GET', `/api/tenants/${world.tenant}/audit?action=key.regenerated`);
  expect(log.body.items).toMatchObject([{ target: 'echo', details: hour }]);
});

test('under load an old key is refused on no replica within its grace, and on every one a second after it', async () => {
  const admin = await member('admin');
  const { apiKey: old } = (await (await member('editor')).ask('GET', path())).body as { apiKey: string };
  await admin.ask('POST', path('/key/regenerate'), { body: hour });
  const [{ over } = { over: new Date() }] = await world.admin.query<{ over: Date }>(sql`
    update agent_keys set expires_at = clock_timestamp() + interval '1 second'
    where prefix = ${old.slice(0, 10)} returning expires_at as over`);
  const seen: Awaited<ReturnType<typeof answerTo>>[] = [];
  const askUntilRefused = async (replica: number) => {
    let refusals = 0;
    while (refusals < 20) {
      const answer = await answerTo(old, replica);
      seen.push(answer);
      if (answer.status === 401) refusals += 1;
    }
  };
  await Promise.all([0, 1, 0, 1, 0, 1].map(askUntilRefused));
  expect(new Set(seen.map(({ status }) => status))).toEqual(new Set([200, 401]));
  expect(seen.filter(({ status, ended }) => status === 401 && ended < over.getTime())).toEqual([]);
  expect(seen.filter(({ status, began }) => status === 200 && began > over.getTime() + 1_000)).toEqual([]);
});

test('of many who regenerate at once, without a grace, one key is left', async () => {
  const admin = await member('admin');
  const asked = [0, 1, 0, 1, 0, 1].map((replica) =>
    admin.ask('POST', path('/key/regenerate'), { body: { graceSeconds: 0 }, replica }),
  );
  const keys = (await Promise.all(asked)).map(({ body }) => String(body.apiKey));
  const { body } = await admin.ask('GET', path());
  expect(body.keys).toHaveLength(1);
  expect(keys).toContain(body.apiKey);
});

test('a secret is shown once, and the earlier one signs beside it for the grace', async () => {
  const admin = await member('admin');
  const made = await admin.ask('POST', path('/secret/regenerate'), { body: hour });
  expect(made.body).toMatchObject({
    apiSecret: expect.stringMatching(/^sk_/),
    signingSecret: expect.stringMatching(/^whsec_/),
  });
  const seen = await admin.ask('GET', path());
  expect(seen.body.secrets).toMatchObject([{ expiresAt: null }, { expiresAt: expect.any(String) }]);
  expect(seen.text).not.toContain(made.body.apiSecret);
  const kept = await world.admin.query<{ row: string }>(
    sql`select r::text as row from account_requests r union all select a::text from audit a`,
  );
  expect(kept.filter(({ row }) => row.includes(String(made.body.apiSecret)))).toEqual([]);
});
