import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isAtLeast, type Role, roles } from '../../../services/contract/roles.ts';
import { signAccessToken } from '../../../services/core/account/access-token.ts';
import { readPeopleKeys } from '../../../services/core/account/people-keys.ts';
import {
  type AccountRoute,
  accountRoutes,
  plannedPaths,
  plannedRoutes,
} from '../../../services/core/account/routes.ts';
import { tellRelease } from '../../../services/core/insight/tell-release.ts';
import { newSessionId } from '../../../services/core/sessions/ids.ts';
import { newCallId } from '../../../services/core/telephony/ids.ts';
import { makeLogger } from '../../../services/process/logger.ts';
import type { Database } from '../../../services/store/database.ts';
import { sql } from '../../../services/store/sql.ts';
import { upsertTenant } from '../../../services/store/tables/tenants.ts';
import { startFakeHost } from '../../support/databases/fake-host.ts';
import { eventually } from '../../support/eventually.ts';
import { invitation, openPeople, Visitor } from '../../support/people/account.ts';
import { type Answer, ask } from '../../support/people/rest.ts';
import { peopleKeys } from '../../support/world/master-keys.ts';
import { startWorld, type World } from '../../support/world/world.ts';

let world: World;
let people: Database;
let foreign: string;
let persons: Record<Role, Visitor>;
/** One more of each role: a person has 180 requests a minute, and asks each route three times. */
let others: Record<Role, Visitor>;
let foreigner: Visitor;
let addresses = 0;

const routes: readonly AccountRoute[] = accountRoutes;
const unknown = randomUUID();

beforeAll(async () => {
  world = await startWorld({ hosts: 0, workers: 0, settings: { peopleKeys, trustProxyHops: 1, release: '1.1' } });
  people = openPeople(world.serviceUrl);
  foreign = (await upsertTenant(world.admin, { slug: 'foreign', name: 'Foreign', features: {} })).id;
  [persons, others] = [await oneOfEach(''), await oneOfEach('other-')];
  foreigner = await member('owner', foreign);
});

afterAll(async () => {
  await people?.close();
  await world?.[Symbol.asyncDispose]();
});

async function oneOfEach(prefix: string): Promise<Record<Role, Visitor>> {
  const entries = roles.map(async (role) => [role, await member(role, world.tenant, prefix)] as const);
  return Object.fromEntries(await Promise.all(entries)) as Record<Role, Visitor>;
}

async function member(role: Role, tenant: string, prefix = ''): Promise<Visitor> {
  const email = `${prefix}${role}-of-${tenant}@example.com`;
  const person = new Visitor([world.baseUrl], `203.0.113.${++addresses}`);
  await person.accept(await invitation(people, tenant, email, role), role);
  return person;
}

/** Ids that are nobody's: what may be asked for is not there, and nothing is changed. */
const pathOf = (path: string, tenant: string): string =>
  path
    .replace(':tenant', tenant)
    .replace(':member', unknown)
    .replace(':identity', unknown)
    .replace(':agent', 'nobody')
    .replace(':delivery', unknown)
    .replace(':change', unknown)
    .replace(':version', '0123456789ab')
    .replace(':trunk', unknown)
    .replace(':number', '4930123456')
    .replace(':call', newCallId())
    .replace(':session', newSessionId());

/** Whoever comes so far is told what is wrong with the rest: no such member, no such session, an empty body. */
const wrongWithTheRest = [
  'precondition_required',
  'change_not_found',
  'version_not_found',
  'identity_not_found',
  // Of the identity provider, which this world has not.
  'not_configured',
  'member_not_found',
  'session_not_found',
  'agent_not_found',
  'delivery_not_found',
  'trunk_not_found',
  'number_not_found',
  'call_not_found',
  'invalid_request',
];
const cameIn = ({ status, body }: Answer): boolean => status === 200 || wrongWithTheRest.includes(String(body.code));

const outcome = (answer: Answer): string => (cameIn(answer) ? 'in' : String(answer.body.code));

const expected = (who: AccountRoute['who'], role: Role, tenant: 'own' | 'foreign' | 'unknown'): string => {
  if (who === 'anybody' || who === 'person') return 'in';
  if (tenant !== 'own') return 'tenant_not_found';
  return isAtLeast(role, who) ? 'in' : 'forbidden';
};

const ofPeople = routes.filter(({ who }) => who !== 'anybody');
const names = (all: readonly AccountRoute[]) => all.map((route) => [`${route.method} ${route.path}`, route] as const);

describe.each(roles)('as %s', (role) => {
  test.each(names(ofPeople))(
    '%s answers as the table says, in the own tenant, a foreign and an unknown one',
    async (_, route) => {
      for (const [kind, tenant] of [
        ['own', world.tenant],
        ['foreign', foreign],
        ['unknown', unknown],
      ] as const) {
        const person = (ofPeople.indexOf(route) % 2 === 0 ? persons : others)[role];
        const answer = await person.ask(route.method, pathOf(route.path, tenant));
        expect([kind, outcome(answer)], answer.text).toEqual([kind, expected(route.who, role, kind)]);
      }
    },
  );
});

describe('credentials of the wrong kind', () => {
  test.each(names(routes))('%s', async (_, { method, path, who }) => {
    const { apiKey, apiSecret } = await world.credentials('echo');
    const stranger = await signAccessToken(readPeopleKeys(`k1:${Buffer.alloc(32, 1).toString('base64')}`), {
      person: unknown,
      signIn: unknown,
    });
    const nobody = await signAccessToken(readPeopleKeys(peopleKeys), { person: unknown, signIn: unknown });
    const headers = { 'x-forwarded-for': `203.0.114.${++addresses}` };
    const answered = async (key?: string) =>
      (await ask(world.baseUrl, method, pathOf(path, world.tenant), { key, headers })).body.code;
    expect([await answered(apiKey), await answered(apiSecret)]).toEqual([
      'wrong_credential_type',
      'wrong_credential_type',
    ]);
    if (who === 'anybody') return;
    const refused = [await answered(), await answered('x'), await answered(stranger), await answered(nobody)];
    expect(refused).toEqual(Array(4).fill('invalid_token'));
  });

  test("a person's token is refused at each of the agents' doors", async () => {
    const doors = [
      ['POST', '/api/sessions'],
      ['GET', '/api/sessions/languages'],
      ['GET', `/api/sessions/${newSessionId()}`],
      ['POST', `/api/sessions/${newSessionId()}/end`],
      ['GET', '/api/sessions/config/r_none'],
      ['POST', '/api/sessions/transcription'],
      ['POST', '/api/tokens'],
    ] as const;
    for (const [method, path] of doors) {
      const answer = await ask(world.baseUrl, method, path, { key: persons.owner.accessToken });
      expect([path, answer.status, answer.body.code]).toEqual([path, 401, 'wrong_credential_type']);
    }
  });
});

describe('paths and methods', () => {
  test('an unknown path is 404 before anybody asks for a credential', async () => {
    for (const path of [
      '/auth/nothing',
      '/auth',
      '/api/me/x',
      '/api/tenants',
      '/api/tenants/x/nothing',
      '/invitation/x',
    ]) {
      const answer = await ask(world.baseUrl, 'GET', path);
      expect([path, answer.status, answer.body.code]).toEqual([path, 404, 'not_found']);
    }
  });

  test('a method that the table does not have is 405 with Allow, after the credential', async () => {
    const { owner } = persons;
    const answer = await owner.ask('DELETE', '/api/me');
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
    expect((await ask(world.baseUrl, 'DELETE', '/api/me')).status).toBe(401);
  });

  test('what is planned tells credentials apart, and has nothing to show', async () => {
    for (const path of plannedPaths.map((path) => path.replace(':tenant', world.tenant).replace('{/*rest}', ''))) {
      expect((await ask(world.baseUrl, 'GET', path)).body.code).toBe('invalid_token');
      expect(['not_found', 'not_configured']).toContain((await persons.owner.ask('GET', path)).body.code);
    }
  });

  test('what is not part of this version says to members what capabilities says, and is not there for others', async () => {
    const { body } = await persons.viewer.ask('GET', '/api/capabilities');
    for (const { path, capability } of plannedRoutes) {
      const at = (tenant: string) => path.replace(':tenant', tenant).replace('{/*rest}', '');
      const { how } = body[capability] as { how: string };
      for (const method of ['GET', 'POST']) {
        const answer = await persons.viewer.ask(method, at(world.tenant));
        expect([answer.status, answer.body]).toEqual([409, { code: 'not_configured', message: how }]);
        expect((await persons.viewer.ask(method, at(foreign))).body.code).toBe('tenant_not_found');
      }
    }
  });

  test('capabilities name every provider and language, and say how one comes by what is not configured', async () => {
    const { body } = await persons.viewer.ask('GET', '/api/capabilities');
    expect(body).toMatchObject({
      channels: { api: { available: true }, phone: { available: false, how: expect.any(String) } },
      speech: { available: false, how: expect.stringContaining('PARLEY_VOICE_CAPACITY') },
      providers: {
        scripted: { available: true, does: 'models' },
        deepgram: { available: false, how: expect.stringContaining('DEEPGRAM_API_KEY'), does: 'speech' },
      },
      prompts: { available: false, writing: 'read_only', how: expect.any(String) },
      webhook: { available: true },
      limits: { requestsPerMinute: 180 },
    });
    const told = (value: unknown): boolean =>
      typeof value !== 'object' ||
      value === null ||
      !('available' in value) ||
      value.available === true ||
      'how' in value;
    for (const group of Object.values(body))
      expect([group, ...Object.values(group as object)].every(told), JSON.stringify(group)).toBe(true);
  });

  test('health says which parts are not there and what to do; how many machines there are only to whoever runs them', async () => {
    const path = (tenant: string) => `/api/tenants/${tenant}/health`;
    const parts = (answer: Answer) => answer.body.parts as { part: string; state: string; figures: unknown }[];
    const told = (answer: Answer) => Object.fromEntries(parts(answer).map(({ part, state }) => [part, state]));
    const viewed = await others.viewer.ask('GET', path(world.tenant));
    expect(viewed.body).toMatchObject({ status: 'degraded', checkedAt: expect.any(String) });
    expect(told(viewed)).toEqual({ database: 'ok', rooms: 'ok', hosts: 'down', worker: 'down' });
    expect(parts(viewed).every(({ figures }) => figures === null)).toBe(true);
    const [database, , hosts] = parts(await others.admin.ask('GET', path(world.tenant)));
    expect(database?.figures).toEqual({ postgres: expect.stringMatching(/^\d+/) });
    expect(hosts?.figures).toEqual({ hosts: 0, draining: 0, capacity: 0, voiceCapacity: 0 });
    const elsewhere = await foreigner.ask('GET', path(foreign));
    expect(parts(elsewhere).every(({ figures }) => figures === null)).toBe(true);
    expect((await foreigner.ask('GET', path(world.tenant))).body.code).toBe('tenant_not_found');
  });

  test('health says of which releases processes run, two during a rollout, only to whoever runs them', async () => {
    const releasesTo = async (who: Visitor, tenant: string) =>
      (await who.ask('GET', `/api/tenants/${tenant}/health`)).body.releases;
    const own = { process: 'api', release: '1.1', running: 1 };
    const next = { ...own, release: '1.2' };
    const told = (expected: unknown[]) =>
      eventually('the releases are told', async () =>
        isDeepStrictEqual(await releasesTo(others.admin, world.tenant), expected),
      );
    await told([own]);
    const log = makeLogger({ service: 'test', level: 'silent' });
    const stop = tellRelease({ db: world.admin, log }, { process: 'api', release: '1.2' });
    await told([own, next]);
    expect(await releasesTo(others.viewer, world.tenant)).toBeNull();
    expect(await releasesTo(foreigner, foreign)).toBeNull();
    await stop();
    await told([own]);
  });

  test('pages of other sites are refused, and are given no leave to read', async () => {
    const headers = { origin: 'https://evil.example' };
    const answer = await ask(world.baseUrl, 'GET', '/api/me', { key: persons.owner.accessToken, headers });
    expect([answer.status, answer.body.code]).toEqual([403, 'origin_not_allowed']);
    expect(answer.headers.get('access-control-allow-origin')).toBeNull();
  });
});

describe('the database', () => {
  test('shows members and invitations of one tenant to nobody who named another, or none', async () => {
    const count = sql`select count(*)::integer as n from people.memberships`;
    expect(await people.query(count)).toEqual([{ n: 0 }]);
    expect(await people.asTenant(foreign, (tx) => tx.query(count))).toEqual([{ n: 1 }]);
    const stolen = sql`update people.memberships set role = 'viewer' where tenant_id = ${world.tenant} returning 1`;
    expect(await people.asTenant(foreign, (tx) => tx.query(stolen))).toEqual([]);
    const given = sql`insert into people.memberships (tenant_id, person_id, role)
      select ${world.tenant}, id, 'owner' from people.persons limit 1`;
    await expect(people.asTenant(foreign, (tx) => tx.query(given))).rejects.toThrow(/row-level security/);
  });

  test('has row-level security, forced, on every table of people with a tenant', async () => {
    const open = await world.admin.query(sql`
      select c.relname from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'tenant_id'
      where c.relnamespace = 'people'::regnamespace and c.relkind = 'r' and not (c.relrowsecurity and c.relforcerowsecurity)`);
    expect(open).toEqual([]);
  });

  test("gives the services' role nothing of persons, and the role for persons nothing of conversations", async () => {
    const service = sql`select has_schema_privilege('parley_service', 'people', 'usage') as may`;
    expect(await world.admin.query(service)).toEqual([{ may: false }]);
    const tables = await world.admin.query(sql`
      select relname from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r'
        and has_table_privilege('parley_service_people', oid, 'select') order by 1`);
    expect(tables).toEqual([{ relname: 'account_requests' }, { relname: 'invitations' }, { relname: 'tenants' }]);
  });
});

describe('conversations', () => {
  test('are listed the newest first, page by page, each once, and another tenant sees none', async () => {
    await using _host = await startFakeHost(world.serviceUrl, { warmRooms: 5 });
    const customer = await world.customer();
    const made = [];
    for (let n = 0; n < 5; n++) made.push((await customer.createSession({ interactionMode: 'TEXT' })).sessionId);
    const { viewer } = persons;
    const seen: string[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const query: string = cursor === '' ? 'limit=2' : `limit=2&cursor=${cursor}`;
      const { body } = await viewer.ask('GET', `/api/tenants/${world.tenant}/sessions?${query}`);
      const page = body as { items: { id: string }[]; nextCursor: string | null };
      seen.push(...page.items.map(({ id }) => id));
      cursor = page.nextCursor;
    }
    expect(seen).toEqual(made.toReversed());
    const [one] = made;
    const path = `/api/tenants/${world.tenant}/sessions/${one}`;
    const answer = await viewer.ask('GET', path);
    expect(answer.body).toMatchObject({ id: one, status: 'created', toolCalls: [] });
    expect(answer.headers.get('etag')).toMatch(/^"[\w-]{22}"$/);
    expect((await viewer.ask('GET', `${path}/messages`)).body).toEqual({ items: [], nextCursor: null });
    for (const bad of [
      'colour=red',
      'limit=0',
      'limit=101',
      'cursor=x',
      'from=yesterday',
      'agent=',
      'agent=a&agent=b',
    ]) {
      const refused = await viewer.ask('GET', `/api/tenants/${world.tenant}/sessions?${bad}`);
      expect([bad, refused.status, refused.body.code]).toEqual([bad, 400, 'invalid_request']);
    }
    const filtered = await viewer.ask('GET', `/api/tenants/${world.tenant}/sessions?agent=nobody&status=ended`);
    expect(filtered.body).toEqual({ items: [], nextCursor: null });
  });
});

test('a person has 180 requests a minute, and the rest get 429 with the time to wait', async () => {
  const person = await member(
    'viewer',
    (await upsertTenant(world.admin, { slug: 'busy', name: 'Busy', features: {} })).id,
  );
  const answers = await Promise.all(Array.from({ length: 200 }, () => person.ask('GET', '/api/me')));
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(180);
  expect(answers.find(({ status }) => status === 429)?.headers.get('retry-after')).toMatch(/^\d+$/);
});
