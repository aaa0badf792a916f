import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { IdentitiesShown } from '../../../services/contract/account-answers.ts';
import type { Role } from '../../../services/contract/roles.ts';
import type { Database } from '../../../services/store/database.ts';
import { sql } from '../../../services/store/sql.ts';
import { upsertTenant } from '../../../services/store/tables/tenants.ts';
import { eventually } from '../../support/eventually.ts';
import { invitation, openPeople, password as own, Visitor } from '../../support/people/account.ts';
import { type Answer, ask } from '../../support/people/rest.ts';
import { clientId, clientSecret, IdentityProvider } from '../../support/stand-ins/identity-provider.ts';
import { SmtpSink } from '../../support/stand-ins/smtp-sink.ts';
import { peopleKeys } from '../../support/world/master-keys.ts';
import { startWorld, type World } from '../../support/world/world.ts';

let world: World;
let people: Database;
let provider: IdentityProvider;
let sink: SmtpSink;
let replicas: string[];
let openIdConnect: { issuer: string; clientId: string; clientSecret: string; name: string };
/** Where people reach us; the provider sends them back there, and the test to the replica that it chooses. */
const publicUrl = 'https://acme.example.com';

beforeAll(async () => {
  provider = await IdentityProvider.start(`${publicUrl}/auth/oidc/callback`);
  sink = await SmtpSink.start();
  const mail = { url: sink.url, from: 'Parley <no-reply@acme.example.com>' };
  openIdConnect = { issuer: provider.issuer, clientId, clientSecret, name: 'Acme' };
  world = await startWorld({
    ...{ hosts: 0, workers: 0, apis: 2 },
    settings: { peopleKeys, trustProxyHops: 1, publicUrl, openIdConnect, mail },
  });
  replicas = world.apis.map(({ port }) => `http://127.0.0.1:${port}`);
  people = openPeople(world.serviceUrl);
});

afterAll(async () => {
  await people?.close();
  await world?.[Symbol.asyncDispose]();
  await provider?.[Symbol.asyncDispose]();
  await sink?.[Symbol.asyncDispose]();
});

let addresses = 0;

/** A browser on its way to the provider and back. */
class Browser extends Visitor {
  departure = '';
  /** Where the page is sent to, and the cookie that comes along. */
  async leave(body: object = {}): Promise<string> {
    const answer = await this.ask('POST', '/auth/oidc', { body });
    expect(answer.status, answer.text).toBe(200);
    const [line = ''] = answer.headers.getSetCookie();
    expect(line).toMatch(/^parley-departure=[\w-]{43}; Max-Age=600; Path=\/auth\/oidc; .*HttpOnly; SameSite=Lax$/);
    this.departure = line.split(';')[0] ?? '';
    return String(answer.body.location);
  }

  /** Whither it is led in the end. */
  async comeBack(callback: URL, replica = 1): Promise<string> {
    const response = await fetch(`${replicas[replica]}${callback.pathname}${callback.search}`, {
      redirect: 'manual',
      headers: { cookie: this.departure, 'x-forwarded-for': '198.51.100.250' },
    });
    expect(response.status).toBe(303);
    const [refresh] = response.headers.getSetCookie().filter((line) => line.startsWith('parley-refresh='));
    this.cookie = refresh?.split(';')[0] ?? this.cookie;
    return response.headers.get('location') ?? '';
  }

  signInAs = async (subject: string, body: object = {}): Promise<string> =>
    this.comeBack(await provider.visit(await this.leave(body), subject));

  /** As the page does when it is opened: the cookie gives the access token. */
  async me(): Promise<Answer> {
    await this.refresh();
    return this.ask('GET', '/api/me', { replica: 1 });
  }
}

const browser = () => new Browser(replicas, `198.51.100.${++addresses}`);

async function invite(email: string, role: Role, tenant = world.tenant): Promise<string> {
  return invitation(people, tenant, email, role);
}

test('the page is told the ways to sign in', async () => {
  const { body } = await ask(replicas[0] ?? '', 'GET', '/auth/ways');
  expect(body).toEqual({ password: true, openIdConnect: { name: 'Acme' }, resetByMail: true });
});

test('whoever is invited comes in with a verified address, is known again by issuer and subject, and led to the page they wanted', async () => {
  provider.people.set('anna', { email: 'Anna@example.com', email_verified: true, name: 'Anna' });
  const anna = browser();
  expect(await anna.signInAs('anna')).toBe('/sign-in#error=not_invited');
  await invite('anna@example.com', 'editor');
  expect(await anna.signInAs('anna', { to: '/sessions?agent=echo' })).toBe('/sessions?agent=echo');
  const me = await anna.me();
  expect(me.body).toMatchObject({ person: { email: 'anna@example.com', name: 'Anna' }, tenants: [{ role: 'editor' }] });
  // Another address, or none, and she is who she was.
  provider.people.set('anna', {});
  const again = browser();
  expect(await again.signInAs('anna')).toBe('/');
  expect((await again.me()).body.person).toEqual(me.body.person);
});

test('an invitation is accepted by whoever has its address verified, and by nobody else', async () => {
  const token = await invite('first@example.com', 'owner');
  provider.people.set('eve', { email: 'eve@example.com', email_verified: true });
  provider.people.set('liar', { email: 'first@example.com', email_verified: false });
  provider.people.set('first', { email: 'first@example.com', email_verified: true });
  expect(await browser().signInAs('eve', { invitation: token })).toBe('/sign-in#error=not_invited');
  expect(await browser().signInAs('liar', { invitation: token })).toBe('/sign-in#error=not_invited');
  expect(await browser().signInAs('liar')).toBe('/sign-in#error=not_invited');
  const first = browser();
  expect(await first.signInAs('first', { invitation: token })).toBe('/');
  expect((await first.me()).body.tenants).toMatchObject([{ id: world.tenant, role: 'owner' }]);
  expect(await browser().signInAs('first', { invitation: token })).toBe('/sign-in#error=invitation_not_open');
  const { id: other } = await upsertTenant(world.admin, { slug: 'second', name: 'Second', features: {} });
  expect(await first.signInAs('first', { invitation: await invite('first@example.com', 'viewer', other) })).toBe('/');
  expect((await first.me()).body.tenants).toMatchObject([{ role: 'owner' }, { role: 'viewer' }]);
});

test('where passwords are refused nothing is done by one, and an invitation is accepted by the identity provider', async () => {
  const { port } = await world.startApi({ settings: { openIdConnect: { ...openIdConnect, passwords: 'refused' } } });
  const strict = `http://127.0.0.1:${port}`;
  expect((await ask(strict, 'GET', '/auth/ways')).body).toMatchObject({ password: false, resetByMail: false });
  const token = await invite('only@example.com', 'viewer');
  await browser().accept(await invite('earlier@example.com', 'viewer'), 'Earlier');
  const byPassword = {
    '/auth/sign-in': { email: 'earlier@example.com', password: own },
    '/auth/forgotten-password': { email: 'earlier@example.com' },
    '/auth/reset-password': { token: 'reset_x', password: 'a long enough one' },
    '/invitation': { token, name: 'Only', password: 'a long enough one' },
  };
  for (const [path, body] of Object.entries(byPassword)) {
    const refused = await ask(strict, 'POST', path, { body });
    expect([path, refused.status, refused.body.code]).toEqual([path, 409, 'not_configured']);
    expect(refused.body.message).toBe('Passwords are refused here: sign in by Acme.');
  }
  provider.people.set('only', { email: 'only@example.com', email_verified: true });
  const only = browser();
  expect(await only.signInAs('only', { invitation: token })).toBe('/');
  await only.refresh();
  const { body } = await ask(strict, 'GET', '/api/capabilities', { key: only.accessToken });
  expect(body.signIn).toMatchObject({ password: { available: false }, openIdConnect: { available: true } });
});

test('an address gives nobody the account of whoever signs in by password under it', async () => {
  const byPassword = browser();
  await byPassword.accept(await invite('pat@example.com', 'owner'), 'Pat');
  provider.people.set('not-pat', { email: 'pat@example.com', email_verified: true });
  expect(await browser().signInAs('not-pat')).toBe('/sign-in#error=not_invited');
  const { id: other } = await upsertTenant(world.admin, { slug: 'third', name: 'Third', features: {} });
  const token = await invite('pat@example.com', 'viewer', other);
  expect(await browser().signInAs('not-pat')).toBe('/sign-in#error=account_exists');
  expect(await browser().signInAs('not-pat', { invitation: token })).toBe('/sign-in#error=account_exists');
  expect(await people.query(sql`select 1 from people.identities where subject = 'not-pat'`)).toEqual([]);
});

describe('somebody who has signed in', () => {
  const linking = async (person: Browser, body: object = { password: own }): Promise<Answer> => {
    const answer = await person.ask('POST', '/api/me/identities', { body });
    const [line = ''] = answer.headers.getSetCookie();
    person.departure = line.split(';')[0] ?? '';
    return answer;
  };
  const left = async (person: Browser, subject: string, body?: object): Promise<URL> =>
    provider.visit(String((await linking(person, body)).body.location), subject);
  /** As the page does, with the access token, what stands behind the # and the cookie. */
  const finish = async (person: Browser, back: URL, { replica = 1, cookie = person.departure } = {}) => {
    const { status, body } = await person.ask('POST', '/auth/oidc/link', {
      ...{ body: { query: back.search }, replica, cookie },
    });
    return body.code ?? status;
  };
  const link = async (person: Browser, subject: string, body?: object) => {
    const back = await left(person, subject, body);
    expect(await person.comeBack(back)).toBe(`/account#link${back.search}`);
    return finish(person, back);
  };
  const identities = async (person: Browser) =>
    (await person.ask('GET', '/api/me/identities')).body as unknown as IdentitiesShown;

  test('links the identity provider with their password, comes in by either, and unlinks all but the last way in', async () => {
    provider.people.set('lin', { email: 'other@example.com', email_verified: false });
    const lin = browser();
    await lin.accept(await invite('lin@example.com', 'viewer'), 'Lin');
    for (const body of [{}, { password: 'not the right one' }])
      expect((await linking(lin, body)).body.code).toBe('sign_in_failed');
    expect(await link(lin, 'lin')).toBe(204);
    expect(await link(lin, 'lin')).toBe(204);
    const { hasPassword, items } = await identities(lin);
    expect([hasPassword, items]).toMatchObject([true, [{ issuer: provider.issuer }]]);
    const again = browser();
    expect(await again.signInAs('lin')).toBe('/');
    expect((await again.me()).body.person).toMatchObject({ email: 'lin@example.com' });
    const [{ id } = { id: '' }] = items;
    const foreign = await browser().ask('DELETE', `/api/me/identities/${id}`);
    expect([foreign.status, foreign.body.code]).toEqual([401, 'invalid_token']);
    expect((await again.ask('DELETE', `/api/me/identities/${id}`)).status).toBe(204);
    expect((await again.ask('DELETE', `/api/me/identities/${id}`)).body.code).toBe('identity_not_found');
    expect(await browser().signInAs('lin')).toBe('/sign-in#error=not_invited');
    // What the identity may have opened is over; the sign-in that unlinked it stays.
    expect([(await lin.refresh()).status, (await again.refresh()).status]).toEqual([401, 200]);
    const deeds = await world.admin.query<{ action: string }>(
      sql`select action from audit where action like 'identity.%' and tenant_id = ${world.tenant} order by id`,
    );
    expect(deeds.map(({ action }) => action)).toEqual(['identity.linked', 'identity.unlinked']);
    const letters = await eventually('a letter tells of both', () => {
      const written = sink.lettersTo('lin@example.com');
      return written.length === 2 && written;
    });
    expect(letters.map(({ text }) => /Subject: (.*)\r\n/.exec(text)?.[1])).toEqual([
      'An identity provider was linked',
      'An identity provider was unlinked',
    ]);
    expect(letters[0]?.text).toContain(`${publicUrl}/account`);
  });

  test('has ten identities at most', async () => {
    provider.people.set('eleventh', { email: 'eleventh@example.com', email_verified: true });
    const many = browser();
    await many.accept(await invite('many@example.com', 'viewer'), 'Many');
    await people.query(sql`
      insert into people.identities (issuer, subject, person_id)
      select ${provider.issuer}, 'many-' || n, p.id from people.persons p, generate_series(1, 10) n where p.email = 'many@example.com'`);
    expect(await link(many, 'eleventh')).toBe('too_many_identities');
    expect((await identities(many)).items).toHaveLength(10);
  });

  test('keeps the last way in, also of two that are unlinked in the same moment', async () => {
    for (const subject of ['two', 'two-as-well'])
      provider.people.set(subject, { email: 'two@example.com', email_verified: true });
    await invite('two@example.com', 'viewer');
    const two = browser();
    expect(await two.signInAs('two')).toBe('/');
    await two.refresh();
    expect(await link(two, 'two-as-well', {})).toBe(204);
    const { hasPassword, items } = await identities(two);
    expect([hasPassword, items.length]).toEqual([false, 2]);
    const unlink = ({ id }: { id: string }, replica: number) =>
      two.ask('DELETE', `/api/me/identities/${id}`, { replica });
    const answers = await Promise.all(items.map(unlink));
    expect(answers.map(({ status, body }) => body.code ?? status).toSorted()).toEqual([204, 'last_way_in']);
    expect((await identities(two)).items).toHaveLength(1);
    const former = { issuer: 'https://former.example.com', subject: 'two' };
    await people.query(
      sql`insert into people.identities (issuer, subject, person_id)
        select ${former.issuer}, ${former.subject}, person_id from people.identities where subject = any (${['two', 'two-as-well']})`,
    );
    const [own, gone] = (await identities(two)).items;
    expect([own?.signsIn, gone?.signsIn]).toEqual([true, false]);
    expect((await two.ask('DELETE', `/api/me/identities/${own?.id}`)).body.code).toBe('last_way_in');
    expect((await two.ask('DELETE', `/api/me/identities/${gone?.id}`)).status).toBe(204);
  });

  test('is one person for an identity, whoever links it in the same moment; a second click changes nothing', async () => {
    const [una, dua] = [browser(), browser()];
    for (const [person, email] of [
      [una, 'una@example.com'],
      [dua, 'dua@example.com'],
    ] as const) {
      await person.accept(await invite(email, 'viewer'), email);
    }
    const backs: URL[] = [];
    for (const person of [una, dua]) backs.push(await left(person, 'contested'));
    const [first, second] = backs as [URL, URL];
    const answers = await Promise.all([finish(una, first, { replica: 0 }), finish(una, first), finish(dua, second)]);
    expect([answers.slice(0, 2).includes('sign_in_expired'), answers.filter((answer) => answer === 204)]).toEqual([
      true,
      [204],
    ]);
    const linked = await people.query(sql`select 1 from people.identities where subject = 'contested'`);
    expect(linked).toHaveLength(1);
  });

  test('finds nothing linked that came back to another browser, or in another sign-in than has left', async () => {
    const [person, victim] = [browser(), browser()];
    await person.accept(await invite('elsewhere@example.com', 'viewer'), 'Else');
    await victim.accept(await invite('victim@example.com', 'viewer'), 'Victim');
    const back = await left(person, 'elsewhere');
    expect(await browser().comeBack(back)).toBe('/sign-in#error=sign_in_expired');
    expect(await finish(person, back, { cookie: '' })).toBe('sign_in_expired');
    // With what somebody else has put into their browser: linked to neither.
    expect(await finish(victim, back, { cookie: person.departure })).toBe('link_of_another');
    expect(await finish(person, back)).toBe('sign_in_expired');
    const toSignIn = await provider.visit(await person.leave(), 'elsewhere');
    expect(await finish(person, toSignIn)).toBe('link_of_another');
    expect((await identities(victim)).items).toEqual([]);
    expect((await identities(person)).items).toEqual([]);
    const headers = { origin: 'https://evil.example' };
    const foreign = await person.ask('POST', '/api/me/identities', { body: { password: own }, headers });
    expect(foreign.body.code).toBe('origin_not_allowed');
  });

  test("links nobody else's identity, and nothing once they have signed out", async () => {
    provider.people.set('taken', { email: 'taken@example.com', email_verified: true });
    provider.people.set('free', { email: 'free@example.com', email_verified: true });
    await invite('taken@example.com', 'viewer');
    expect(await browser().signInAs('taken')).toBe('/');
    const eve = browser();
    await eve.accept(await invite('eve-links@example.com', 'viewer'), 'Eve');
    expect(await link(eve, 'taken')).toBe('identity_taken');
    const back = await left(eve, 'free');
    await eve.ask('POST', '/auth/sign-out');
    // Rights are cached for 5 s at most: one of the two says it.
    expect(['sign_in_expired', 'invalid_token']).toContain(await finish(eve, back));
    expect(await people.query(sql`select 1 from people.identities where subject = 'free'`)).toEqual([]);
  });
});

test('the way back is open once, for ten minutes, to the browser that has left', async () => {
  provider.people.set('once', { email: 'once@example.com', email_verified: true });
  await invite('once@example.com', 'viewer');
  const person = browser();
  const callback = await provider.visit(await person.leave(), 'once');
  expect(await browser().comeBack(callback)).toBe('/sign-in#error=sign_in_expired');
  expect(await person.comeBack(callback, 0)).toBe('/');
  expect(await person.comeBack(callback)).toBe('/sign-in#error=sign_in_expired');
  const late = await provider.visit(await person.leave(), 'once');
  await people.query(sql`update people.departures set expires_at = expires_at - interval '10 minutes'`);
  expect(await person.comeBack(late)).toBe('/sign-in#error=sign_in_expired');
  for (const to of ['https://evil.example', '//evil.example', '/\\evil.example', 'sessions'])
    expect((await person.ask('POST', '/auth/oidc', { body: { to } })).body.code).toBe('invalid_request');
});

test('while the issuer is away whoever is signed in stays so, and is not let down when it is back', async () => {
  provider.people.set('stays', { email: 'stays@example.com', email_verified: true });
  await invite('stays@example.com', 'viewer');
  const person = browser();
  await person.signInAs('stays');
  const left = await provider.visit(await person.leave(), 'stays');
  await provider.goAway();
  expect((await person.me()).status).toBe(200);
  const answer = await person.ask('POST', '/auth/oidc', { body: {} });
  expect([answer.status, answer.body.code]).toEqual([503, 'unavailable']);
  expect(await person.comeBack(left)).toBe('/sign-in#error=unavailable');
  await provider.comeBack();
  await provider.rotate();
  expect(await person.signInAs('stays')).toBe('/');
});

describe('by mail', () => {
  const members = () => `/api/tenants/${world.tenant}/members`;
  const forget = (person: Visitor, email: string) =>
    person.ask('POST', '/auth/forgotten-password', { body: { email } });
  const choose = (person: Visitor, token: string, chosen: string, replica = 0) =>
    person.ask('POST', '/auth/reset-password', { body: { token, password: chosen }, replica });

  test('whoever is invited is written to, and the inviter sees no token; where the letter is not taken they do', async () => {
    const owner = browser();
    await owner.accept(await invite('host@example.com', 'owner'), 'Hanna Host');
    const made = await owner.ask('POST', members(), { body: { email: 'guest@example.com', role: 'editor' } });
    expect(made.body).toMatchObject({ email: 'guest@example.com', token: null, mailed: true });
    const [letter] = sink.lettersTo('guest@example.com');
    expect(letter?.from).toBe('no-reply@acme.example.com');
    expect(letter?.text).toMatch(/Subject: You are invited to Local\r\n/);
    expect(letter?.text).toContain('Hanna Host invites you to Local on Parley, as editor.');
    const guest = browser();
    expect((await guest.accept(await sink.tokenTo('guest@example.com'), 'Guest')).status).toBe(200);
    const headers = { 'accept-language': 'fr, de-DE;q=0.9, en;q=0.5' };
    await owner.ask('POST', members(), { body: { email: 'gast@example.com', role: 'editor' }, headers });
    expect(sink.lettersTo('gast@example.com')[0]?.text).toMatch(/Subject: Einladung zu Local\r\n/);
    sink.isFull = true;
    const body = { email: 'unlucky@example.com', role: 'viewer' };
    const notMailed = await owner.ask('POST', members(), { body });
    sink.isFull = false;
    expect(notMailed.body).toMatchObject({ mailed: false, token: expect.stringMatching(/^inv_/) });
  });

  test('a new password is chosen once, within 30 minutes, and ends what was signed in', async () => {
    const email = 'forgets@example.com';
    const before = browser();
    await before.accept(await invite(email, 'viewer'), 'Forgets');
    expect((await forget(browser(), 'Forgets@Example.com')).status).toBe(202);
    const first = await sink.tokenTo(email);
    await forget(browser(), email);
    const token = await sink.tokenTo(email, 2);
    const person = browser();
    expect((await choose(person, first, 'a new long password')).body.code).toBe('reset_not_open');
    const answers = await Promise.all([0, 1].map((replica) => choose(person, token, 'a new long password', replica)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 404]);
    expect((await before.refresh()).status).toBe(401);
    expect((await browser().signIn(email)).status).toBe(401);
    expect((await browser().signIn(email, 'a new long password')).status).toBe(200);
    await forget(browser(), email);
    const late = await sink.tokenTo(email, 3);
    await people.query(sql`update people.one_use_tokens set expires_at = expires_at - interval '30 minutes'`);
    expect((await choose(person, late, 'another long password')).body.code).toBe('reset_not_open');
  });

  test('asking tells nobody whether there is an account, and is throttled over all replicas', async () => {
    provider.people.set('sso', { email: 'sso@example.com', email_verified: true });
    await invite('sso@example.com', 'viewer');
    await browser().signInAs('sso');
    await browser().accept(await invite('known@example.com', 'viewer'), 'Known');
    const answers = [];
    for (const email of ['known@example.com', 'unknown@example.com', 'sso@example.com']) {
      for (let n = 0; n < 4; n++) {
        const answer = await browser().ask('POST', '/auth/forgotten-password', { body: { email }, replica: n % 2 });
        answers.push([answer.status, answer.body.code]);
      }
    }
    const four = [
      [202, undefined],
      [202, undefined],
      [202, undefined],
      [429, 'rate_limited'],
    ];
    expect(answers).toEqual([...four, ...four, ...four]);
    await sink.tokenTo('known@example.com', 3);
    expect(sink.lettersTo('known@example.com')).toHaveLength(3);
    expect(sink.lettersTo('unknown@example.com')).toEqual([]);
    // Whom an identity provider lets in is given no password beside it.
    expect(sink.lettersTo('sso@example.com')).toEqual([]);
  });
});
