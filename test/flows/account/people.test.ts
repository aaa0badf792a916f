import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Role } from '../../../services/contract/roles.ts';
import { developerToken } from '../../../services/core/account/developer.ts';
import { writeOneUseToken } from '../../../services/core/account/one-use-tokens.ts';
import { resetPassword } from '../../../services/core/account/reset-password.ts';
import { makeVault } from '../../../services/core/credentials/vault.ts';
import { changeRole, remove } from '../../../services/core/members/members.ts';
import type { Database } from '../../../services/store/database.ts';
import { sql } from '../../../services/store/sql.ts';
import { upsertTenant } from '../../../services/store/tables/tenants.ts';
import { eventually } from '../../support/eventually.ts';
import { cookieOf, invitation, openPeople, password, Visitor } from '../../support/people/account.ts';
import { type Answer, ask } from '../../support/people/rest.ts';
import { masterKeys, peopleKeys } from '../../support/world/master-keys.ts';
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

/** From an address of their own, so that nobody is counted with another. */
const visitor = () => new Visitor(replicas, `198.51.100.${++addresses}`);

/** Somebody who has accepted an invitation. */
async function member(email: string, role: Role, tenant = world.tenant): Promise<Visitor> {
  const person = visitor();
  const answer = await person.accept(await invitation(people, tenant, email, role), email);
  expect(answer.status, answer.text).toBe(200);
  return person;
}

const ifMatch = (read: Answer) => ({ 'if-match': String(read.headers.get('etag')) });

/** What was read, and what came of changing it by its ETag. */
async function changedOnce(person: Visitor, path: string, body: object): Promise<[Answer, Answer]> {
  const read = await person.ask('GET', path);
  return [read, await person.ask('PATCH', path, { body, headers: ifMatch(read) })];
}

const tenantPath = (rest = '') => `/api/tenants/${world.tenant}${rest}`;
const expectProblem = (answer: Answer, status: number, code: string) =>
  expect([answer.status, answer.body.code], answer.text).toEqual([status, code]);
const idOf = async (email: string): Promise<string> =>
  (await people.query<{ id: string }>(sql`select id from people.persons where email = ${email}`))[0]?.id ?? '';

describe('an invitation', () => {
  test('makes its person a member, signs them in, and opens nothing afterwards', async () => {
    const token = await invitation(people, world.tenant, 'first@example.com', 'owner');
    const person = visitor();
    const answer = await person.accept(token, 'First');
    expect(answer.status, answer.text).toBe(200);
    expect(answer.body).not.toHaveProperty('refreshToken');
    expect(answer.headers.getSetCookie()[0]).toMatch(/; Path=\/auth; .*HttpOnly; SameSite=Strict/);
    const me = await person.ask('GET', '/api/me', { replica: 1 });
    expect(me.body).toMatchObject({
      person: { email: 'first@example.com', name: 'First' },
      tenants: [{ id: world.tenant, slug: 'local', name: 'Local', role: 'owner' }],
    });
    expectProblem(await visitor().accept(token, 'Second'), 404, 'invitation_not_open');
    expectProblem(await visitor().accept('inv_guessed', 'Third'), 404, 'invitation_not_open');
  });

  test('that is accepted ten times at once makes one person and one member', async () => {
    const token = await invitation(people, world.tenant, 'crowd@example.com', 'viewer');
    const body = { token, name: 'Crowd', password };
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, n) => visitor().ask('POST', '/invitation', { body, replica: n % 2 })),
    );
    expect(answers.map(({ status }) => status).filter((status) => status === 200)).toHaveLength(1);
    expect(new Set(answers.map(({ body: { code } }) => code))).toEqual(new Set([undefined, 'invitation_not_open']));
    const rows = await people.query(sql`select 1 from people.persons where email = 'crowd@example.com'`);
    expect(rows).toHaveLength(1);
  });

  test('of somebody with an account wants their password, and stays open without it', async () => {
    await member('twice@example.com', 'editor');
    const { id: other } = await upsertTenant(world.admin, { slug: 'twice', name: 'Twice', features: {} });
    const token = await invitation(people, other, 'twice@example.com', 'owner');
    const body = { token, name: 'Twice', password: 'not their password' };
    expectProblem(await visitor().ask('POST', '/invitation', { body }), 401, 'sign_in_failed');
    const person = visitor();
    expect((await person.accept(token, 'Twice')).status).toBe(200);
    const me = await person.ask('GET', '/api/me');
    expect((me.body.tenants as { role: string }[]).map(({ role }) => role)).toEqual(['editor', 'owner']);
  });
});

describe('signing in', () => {
  beforeAll(() => member('anna@example.com', 'editor'));

  test('works with the address in any case, and a wrong password or address are told alike', async () => {
    expect((await visitor().signIn('Anna@Example.com')).status).toBe(200);
    const wrong = await visitor().signIn('anna@example.com', 'wrong');
    const unknown = await visitor().signIn('nobody@example.com', 'wrong');
    expectProblem(wrong, 401, 'sign_in_failed');
    expect(unknown.body).toEqual(wrong.body);
  });

  test('is closed to an address after ten wrong passwords of a thousand at once, over both replicas, and open to others', async () => {
    await member('target@example.com', 'viewer');
    const attacker = visitor();
    const body = { email: 'target@example.com', password: 'guess' };
    const answers: Answer[] = [];
    // Whoever is told that the database has no time asks again, and has used up none of the ten.
    const guess = async (n: number): Promise<unknown> => {
      const answer = await attacker.ask('POST', '/auth/sign-in', { body, replica: n % 2 });
      return answer.status === 503 ? guess(n) : answers.push(answer);
    };
    for (let round = 0; round < 20; round++) await Promise.all(Array.from({ length: 50 }, (_, n) => guess(n)));
    const codes = Map.groupBy(answers, ({ body: { code } }) => code);
    expect(codes.get('sign_in_failed')).toHaveLength(10);
    expect(codes.get('rate_limited')).toHaveLength(990);
    expect(Number(codes.get('rate_limited')?.[0]?.headers.get('retry-after'))).toBeGreaterThan(0);
    expectProblem(await attacker.signIn('target@example.com'), 429, 'rate_limited');
    expect((await visitor().signIn('target@example.com')).status).toBe(200);
  });

  test('takes no page of another site', async () => {
    const body = { email: 'anna@example.com', password };
    const headers = { origin: 'https://evil.example' };
    expectProblem(await ask(replicas[0] ?? '', 'POST', '/auth/sign-in', { body, headers }), 403, 'origin_not_allowed');
  });

  test('with a password that an operator has set ends what was signed in before', async () => {
    const before = await member('forgetful@example.com', 'viewer');
    const fresh = await resetPassword(people, 'forgetful@example.com');
    await eventually('the earlier sign-in is over', async () => (await before.ask('GET', '/api/me')).status === 401);
    expectProblem(await before.refresh(), 401, 'invalid_token');
    expectProblem(await visitor().signIn('forgetful@example.com'), 401, 'sign_in_failed');
    expect((await visitor().signIn('forgetful@example.com', fresh)).status).toBe(200);
  });
});

describe('the link of a developer', () => {
  const open = (token: string, { replica = 0, headers = {} }: { replica?: number; headers?: Record<string, string> }) =>
    ask(replicas[replica] ?? '', 'POST', '/auth/link', { body: { token }, headers });

  test('signs an owner in, once of ten times at once over two replicas', async () => {
    const token = await developerToken(people, world.tenant);
    const answers = await Promise.all(Array.from({ length: 10 }, (_, n) => open(token, { replica: n % 2 })));
    const opened = answers.filter(({ status }) => status === 200);
    expect(opened).toHaveLength(1);
    for (const answer of answers.filter(({ status }) => status !== 200)) expectProblem(answer, 404, 'link_not_open');
    const me = await ask(replicas[1] ?? '', 'GET', '/api/me', { key: String(opened[0]?.body.accessToken) });
    expect(me.body).toMatchObject({ person: { name: 'Developer' }, tenants: [{ slug: 'local', role: 'owner' }] });
    expect(cookieOf(opened[0] as Answer)).toMatch(/^parley-refresh=rt_/);
  });

  test('opens nothing after ten minutes, after another was made, for another use, or for other machines', async () => {
    const [first, second] = [await developerToken(people, world.tenant), await developerToken(people, world.tenant)];
    expectProblem(await open(first, {}), 404, 'link_not_open');
    expectProblem(await open(second, { headers: { 'x-forwarded-for': '198.51.100.1' } }), 404, 'not_found');
    expectProblem(await open(second, { headers: { origin: 'https://evil.example' } }), 403, 'origin_not_allowed');
    await people.query(sql`update people.one_use_tokens set expires_at = expires_at - interval '10 minutes'`);
    expectProblem(await open(second, {}), 404, 'link_not_open');
    const reset = await writeOneUseToken(people, 'reset_password', await idOf('developer@parley.localhost'));
    expectProblem(await open(reset, {}), 404, 'link_not_open');
  });
});

describe('a refresh', () => {
  test('that comes twice at once, over two replicas, gives both the same successor, and one generation more', async () => {
    const person = await member('tabs@example.com', 'viewer');
    const before = person.cookie;
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, n) => person.ask('POST', '/auth/refresh', { replica: n % 2 })),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(200));
    expect(new Set(answers.map(cookieOf)).size).toBe(1);
    expect(cookieOf(answers[0] as Answer)).not.toBe(before);
    const rows = await people.query(
      sql`select generation from people.sign_ins where person_id = ${await idOf('tabs@example.com')}`,
    );
    expect(rows).toEqual([{ generation: 1 }]);
  });

  test('whose answer was lost may be repeated, and nobody is thrown out', async () => {
    const person = await member('lost@example.com', 'viewer');
    await person.ask('POST', '/auth/refresh');
    expect((await person.refresh(1)).status).toBe(200);
    expect((await person.refresh()).status).toBe(200);
    expect((await person.ask('GET', '/api/me')).status).toBe(200);
  });

  test('with a token that was stolen and is used later ends the sign-in of thief and person', async () => {
    const person = await member('robbed@example.com', 'viewer');
    const stolen = person.cookie;
    await person.refresh();
    // As if more than the grace had passed.
    await people.query(sql`update people.sign_ins set rotated_at = rotated_at - interval '11 seconds'`);
    expectProblem(await person.ask('POST', '/auth/refresh', { cookie: stolen, replica: 1 }), 401, 'invalid_token');
    expectProblem(await person.refresh(), 401, 'invalid_token');
    await eventually('access ends, too', async () => (await person.ask('GET', '/api/me')).status === 401);
    const ended = await people.query(
      sql`select ended_by from people.sign_ins where person_id = ${await idOf('robbed@example.com')}`,
    );
    expect(ended).toEqual([{ ended_by: 'reuse' }]);
  });

  test('with a made-up token ends nobody', async () => {
    const person = await member('guessed@example.com', 'viewer');
    const [name, token = ''] = person.cookie?.split('=') ?? [];
    for (const made of [token.replace(/\.0\./, '.7.'), `${token.slice(0, -1)}x`, 'rt_', 'x'.repeat(5_000)])
      expectProblem(await person.ask('POST', '/auth/refresh', { cookie: `${name}=${made}` }), 401, 'invalid_token');
    expect((await person.refresh()).status).toBe(200);
  });

  test('wants the page of ours that asks', async () => {
    const { cookie = '' } = await member('csrf@example.com', 'viewer');
    for (const headers of [{ cookie }, { cookie, origin: 'https://evil.example' }, { cookie, origin: 'null' }])
      expectProblem(await ask(replicas[0] ?? '', 'POST', '/auth/refresh', { headers }), 403, 'origin_not_allowed');
  });
});

test('signing out holds on every replica, for both tokens', async () => {
  const person = await member('leaving@example.com', 'viewer');
  for (const replica of [0, 1]) expect((await person.ask('GET', '/api/me', { replica })).status).toBe(200);
  expect((await person.ask('POST', '/auth/sign-out')).status).toBe(204);
  expectProblem(await person.ask('POST', '/auth/refresh', { replica: 1 }), 401, 'invalid_token');
  for (const replica of [0, 1])
    await eventually(
      'the token is no use',
      async () => (await person.ask('GET', '/api/me', { replica })).status === 401,
    );
});

describe('members', () => {
  test('an owner invites, changes and removes; what they took holds on every replica', async () => {
    const owner = await member('boss@example.com', 'owner');
    const invited = await owner.ask('POST', tenantPath('/members'), {
      body: { email: 'Eve@Example.com', role: 'editor' },
    });
    expect(invited.body).toMatchObject({
      email: 'eve@example.com',
      role: 'editor',
      token: expect.stringMatching(/^inv_/),
    });
    const eve = visitor();
    await eve.accept(String(invited.body.token), 'Eve');
    for (const replica of [0, 1]) expect((await eve.ask('GET', tenantPath(), { replica })).status).toBe(200);
    const path = tenantPath(`/members/${await idOf('eve@example.com')}`);
    const [read, changed] = await changedOnce(owner, path, { role: 'viewer' });
    expect(changed.body).toMatchObject({ role: 'viewer' });
    expectProblem(await owner.ask('DELETE', path), 428, 'precondition_required');
    expectProblem(await owner.ask('DELETE', path, { headers: ifMatch(read) }), 412, 'precondition_failed');
    expect((await owner.ask('DELETE', path, { headers: ifMatch(changed) })).status).toBe(204);
    for (const replica of [0, 1]) {
      const answer = () => eve.ask('GET', tenantPath(), { replica });
      await eventually('the tenant is gone for them', async () => (await answer()).body.code === 'tenant_not_found');
    }
    expect((await eve.ask('GET', '/api/me')).body.tenants).toEqual([]);
    const id = await idOf('eve@example.com');
    const log = await owner.ask('GET', tenantPath('/audit?limit=4'));
    const byOwner = expect.objectContaining({ email: 'boss@example.com' });
    const byEve = expect.objectContaining({ email: 'eve@example.com' });
    expect(log.body.items).toMatchObject([
      { action: 'member.removed', target: id, details: { role: 'viewer' }, person: byOwner },
      { action: 'member.role_changed', target: id, details: { from: 'editor', to: 'viewer' }, person: byOwner },
      { action: 'invitation.accepted', target: invited.body.id, details: { role: 'editor' }, person: byEve },
      { action: 'invitation.made', target: invited.body.id, details: { email: 'eve@example.com', role: 'editor' } },
    ]);
    expect(log.text).not.toContain(invited.body.token);
  });

  test('two who change a member at once do not overwrite each other, and the list has the ETags', async () => {
    const owner = await member('careful@example.com', 'owner');
    await member('contested@example.com', 'viewer');
    const path = tenantPath(`/members/${await idOf('contested@example.com')}`);
    expectProblem(await owner.ask('PATCH', path, { body: { role: 'editor' } }), 428, 'precondition_required');
    const read = await owner.ask('GET', path);
    const answers = await Promise.all(
      ['editor', 'admin'].map((role) => owner.ask('PATCH', path, { body: { role }, headers: ifMatch(read) })),
    );
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 412]);
    const now = await owner.ask('GET', path);
    expect(now.body.role).toBe(answers.find(({ status }) => status === 200)?.body.role);
    const { id } = (
      await owner.ask('POST', tenantPath('/members'), { body: { email: 'maybe@example.com', role: 'viewer' } })
    ).body;
    const listed = (await owner.ask('GET', tenantPath('/members?limit=100'))).body as Record<
      'items' | 'invited',
      { id: string; etag: string }[]
    >;
    expect(listed.items.find((one) => path.endsWith(one.id))?.etag).toBe(now.headers.get('etag')?.slice(1, -1));
    const invited = tenantPath(`/members/${id}`);
    const etag = String(listed.invited.find((one) => one.id === id)?.etag);
    expectProblem(await owner.ask('DELETE', invited, { headers: ifMatch(now) }), 412, 'precondition_failed');
    expect((await owner.ask('DELETE', invited, { headers: { 'if-match': `"${etag}"` } })).status).toBe(204);
  });

  test('what they did is told page by page, by who did it and what it was', async () => {
    const owner = await member('scribe@example.com', 'owner');
    const made: string[] = [];
    for (let n = 0; n < 3; n++) {
      const body = { email: `guest-${n}@example.com`, role: 'viewer' };
      made.push(String((await owner.ask('POST', tenantPath('/members'), { body })).body.id));
    }
    const person = await idOf('scribe@example.com');
    const seen: unknown[] = [];
    for (let cursor: unknown = ''; cursor !== null; ) {
      const query = `person=${person}&action=invitation.made&limit=2${cursor === '' ? '' : `&cursor=${cursor}`}`;
      const { body } = await owner.ask('GET', tenantPath(`/audit?${query}`));
      seen.push(...(body.items as { target: string }[]).map(({ target }) => target));
      cursor = body.nextCursor;
    }
    expect(seen).toEqual(made.toReversed());
    const nothing = await owner.ask('GET', tenantPath('/audit?to=2020-01-01'));
    expect(nothing.body).toEqual({ items: [], nextCursor: null });
    for (const bad of ['action=sang', 'person=me', 'cursor=x', 'colour=red'])
      expectProblem(await owner.ask('GET', tenantPath(`/audit?${bad}`)), 400, 'invalid_request');
  });

  test('are listed by name, page by page, each once; who is invited comes with the first page, for admins', async () => {
    const { id: tenant } = await upsertTenant(world.admin, { slug: 'listed', name: 'Listed', features: {} });
    const names = ['a', 'b', 'c', 'd', 'e'];
    const listed = await Promise.all(
      names.map((name) => member(`listed-${name}@example.com`, name === 'a' ? 'admin' : 'viewer', tenant)),
    );
    await invitation(people, tenant, 'listed-f@example.com', 'viewer');
    const [admin, viewer] = listed as [Visitor, Visitor];
    const seen: string[] = [];
    const invited: unknown[] = [];
    for (let cursor: unknown = ''; cursor !== null; ) {
      const { body } = await admin.ask('GET', `/api/tenants/${tenant}/members?limit=2${cursor && `&cursor=${cursor}`}`);
      seen.push(...(body.items as { email: string }[]).map(({ email }) => email));
      invited.push((body.invited as object[] | undefined)?.length);
      cursor = body.nextCursor;
    }
    expect(seen).toEqual(names.map((name) => `listed-${name}@example.com`));
    expect(invited).toEqual([1, undefined, undefined]);
    expect((await viewer.ask('GET', `/api/tenants/${tenant}/members`)).body).not.toHaveProperty('invited');
  });

  test('an admin renames the tenant they have read, and nobody changes what the stack declares', async () => {
    const admin = await member('namer@example.com', 'admin');
    const read = await admin.ask('GET', tenantPath());
    const etag = String(read.headers.get('etag'));
    const rename = (tag: string | undefined, body: object) =>
      admin.ask('PATCH', tenantPath(), { body, headers: tag === undefined ? {} : { 'if-match': tag } });
    expectProblem(await rename(undefined, { name: 'Blind' }), 428, 'precondition_required');
    for (const field of ['features', 'caps', 'slug'])
      expectProblem(await rename(etag, { [field]: {} }), 409, 'managed_by_stack');
    const answers = await Promise.all(['This', 'That'].map((name) => rename(etag, { name })));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 412]);
    const done = answers.find(({ status }) => status === 200);
    const now = await admin.ask('GET', tenantPath());
    expect([now.body.name, now.headers.get('etag')]).toEqual([done?.body.name, done?.headers.get('etag')]);
    expect((await rename(String(now.headers.get('etag')), { name: 'Local' })).status).toBe(200);
  });

  test('the last owner can be neither removed nor demoted, nor can two owners remove each other at once', async () => {
    const { id: tenant } = await upsertTenant(world.admin, { slug: 'lonely', name: 'Lonely', features: {} });
    await Promise.all([member('one@example.com', 'owner', tenant), member('other@example.com', 'owner', tenant)]);
    const [one, other] = [await idOf('one@example.com'), await idOf('other@example.com')];
    const deps = { people, vault: makeVault(masterKeys) };
    // Each as an owner, as both are when they begin.
    const owner = (person: string) => ({ tenant, role: 'owner', person, requestId: 'both at once' }) as const;
    const done = await Promise.allSettled([
      changeRole(deps, owner(one), { member: other, role: 'viewer' }),
      remove(deps, owner(other), one),
    ]);
    const refused = done.filter((outcome) => outcome.status === 'rejected');
    expect(refused).toMatchObject([{ reason: { status: 409, code: 'last_owner' } }]);
    const owners = await people.asTenant(tenant, (tx) =>
      tx.query<{ person_id: string }>(sql`select person_id from people.memberships where role = 'owner'`),
    );
    expect(owners).toHaveLength(1);
    const [last] = owners;
    const stays = sql`delete from people.persons where id = ${last?.person_id}`;
    await expect(people.query(stays)).rejects.toThrow(/last owner/);
  });

  test('an admin gives and takes nothing above their own role', async () => {
    const admin = await member('admin@example.com', 'admin');
    await member('topmost@example.com', 'owner');
    const owner = tenantPath(`/members/${await idOf('topmost@example.com')}`);
    const headers = { 'if-match': '*' };
    const body = { email: 'friend@example.com', role: 'owner' };
    expectProblem(await admin.ask('POST', tenantPath('/members'), { body }), 403, 'forbidden');
    expectProblem(await admin.ask('PATCH', owner, { body: { role: 'viewer' }, headers }), 403, 'forbidden');
    expectProblem(await admin.ask('DELETE', owner, { headers }), 403, 'forbidden');
    const itself = tenantPath(`/members/${await idOf('admin@example.com')}`);
    expectProblem(await admin.ask('PATCH', itself, { body: { role: 'owner' }, headers }), 403, 'forbidden');
  });
});
