import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { renewOwnerPassword } from '../../scripts/prepare/renew-owner-password.ts';
import { eraseSession } from '../../services/core/sessions/erase.ts';
import { openDatabase } from '../../services/store/database.ts';
import { ensureLogin } from '../../services/store/migrate/logins.ts';
import { sql } from '../../services/store/sql.ts';
import { locateTenant } from '../../services/store/tables/tenants.ts';
import { startPostgres, type TestPostgres } from '../support/databases/postgres.ts';
import { storeConversation } from '../support/databases/stored-conversation.ts';
import { compiledAgent, publish } from '../support/world/compiled-agent.ts';
import { masterKeys } from '../support/world/master-keys.ts';

const run = promisify(execFile);
const job = join(import.meta.dirname, '../../scripts/prepare.ts');

let postgres: TestPostgres;
let environment: Record<string, string>;

beforeAll(async () => {
  postgres = await startPostgres();
  const superuser = openDatabase(postgres.adminUrl, { maxConnections: 1 });
  // As RDS and CloudNativePG give it: an owner who may create roles, and is no superuser.
  await superuser.query(sql`create role parley_admin login createrole password 'owner'`);
  await superuser.query(sql`create database parley owner parley_admin`);
  await superuser.close();
  const at = `127.0.0.1:${postgres.port}/parley`;
  environment = {
    PARLEY_DATABASE_ADMIN_URL: `postgres://parley_admin:owner@${at}`,
    PARLEY_DATABASE_URL: `postgres://parley:service@${at}`,
    PARLEY_TENANT: 'acme',
    PARLEY_TENANT_NAME: 'Acme',
    PARLEY_FEATURES: 'webhook',
  };
});
afterAll(() => postgres?.[Symbol.asyncDispose]());

const prepare = async (env: Record<string, string>) => (await run(process.execPath, [job], { env })).stdout;

test('an owner who is no superuser prepares the database, and a second run changes nothing', async () => {
  expect(await prepare(environment)).toMatch(/^Ran 0020_data_model\.sql, .*; the tenant is "acme"\.\n$/);
  expect(await prepare(environment)).toBe('The schema is current; the tenant is "acme".\n');
  const owner = openDatabase(environment.PARLEY_DATABASE_ADMIN_URL ?? '', { maxConnections: 1 });
  // The owner is under row-level security like everybody else: the locator says that the tenant is there.
  expect(await owner.query(sql`select locate_tenant('acme') is not null as there`)).toEqual([{ there: true }]);
  await owner.close();
});

test('a stack’s numbers are declared, and go when they are declared no more; what is wrong is told by its place', async () => {
  const carrier = { name: 'carrier', address: 'sip.example.net', allowedAddresses: ['203.0.113.16/28'] };
  const number = { number: '+4930123456', trunk: 'carrier', agent: 'desk' };
  const declaring = (numbers: object[]) => ({
    ...environment,
    PARLEY_TELEPHONE: JSON.stringify({ trunks: [carrier], numbers }),
  });
  expect(await prepare(declaring([number]))).toContain('trunks 1, numbers 1; no longer declared, and removed: 0.');
  expect(await prepare(environment)).toContain('trunks 0, numbers 0; no longer declared, and removed: 2.');
  const failure = await prepare(declaring([{ ...number, number: '030' }])).catch(({ stderr }) => stderr);
  expect(failure).toContain('PARLEY_TELEPHONE numbers.0.number');
});

test('what was erased and has come back with a backup is erased again, before anything else is let in', async () => {
  await prepare(environment);
  const serviceUrl = environment.PARLEY_DATABASE_URL ?? '';
  const db = openDatabase(serviceUrl, { maxConnections: 2 });
  const tenant = (await locateTenant(db, 'acme')) ?? '';
  await publish({ serviceUrl, masterKeys, tenant }, [compiledAgent()]);
  const { id } = await storeConversation({ db, tenant }, { agent: 'desk' });
  const rows = await db.asTenant(tenant, (tx) =>
    tx.query<{ row: object }>(sql`select to_jsonb(s) as row from sessions s where id = ${id}`),
  );
  const silent = { notifier: { tell: () => undefined }, rooms: { close: async () => undefined } };
  await eraseSession({ db, ...silent }, { tenant, session: id, by: 'operator', reason: 'operator_ended' });
  // As whoever brings a backup back: row-level security binds them not.
  const superuser = openDatabase(postgres.adminUrl.replace(/postgres$/, 'parley'), { maxConnections: 1 });
  await superuser.query(
    sql`insert into sessions select * from jsonb_populate_record(null::sessions, ${rows[0]?.row ?? {}})`,
  );
  const isThere = () => db.asTenant(tenant, (tx) => tx.query(sql`select 1 from sessions where id = ${id}`));
  expect(await isThere()).toHaveLength(1);
  expect(await prepare(environment)).toContain('Conversations that a backup had brought back are erased again: 1.\n');
  expect(await isThere()).toEqual([]);
  expect(await prepare(environment)).not.toContain('erased again');
  await Promise.all([db.close(), superuser.close()]);
});

test('jobs that run at the same time do not disturb each other', async () => {
  expect(await Promise.all([prepare(environment), prepare(environment), prepare(environment)])).toHaveLength(3);
});

test('the owner is given its new password by one of before, once, and by no other', async () => {
  const withPassword = (password: string) => `postgres://parley_admin:${password}@127.0.0.1:${postgres.port}/parley`;
  const adminUrl = withPassword('renewed');
  expect(await renewOwnerPassword({ adminUrl, former: [] })).toBe(false);
  expect(await renewOwnerPassword({ adminUrl, former: ['never', 'nor-this'] })).toBe(false);
  expect(await renewOwnerPassword({ adminUrl, former: ['never', 'owner'] })).toBe(true);
  expect(await renewOwnerPassword({ adminUrl, former: ['never', 'owner'] })).toBe(false);
  const owner = openDatabase(adminUrl, { maxConnections: 1 });
  expect(await owner.query(sql`select 1 as one`)).toEqual([{ one: 1 }]);
  await owner.close();
  // As the next stories find it.
  expect(await renewOwnerPassword({ adminUrl: withPassword('owner'), former: ['renewed'] })).toBe(true);
});

test('an owner who is no superuser makes a login for each password of the services, and closes the one before the last', async () => {
  const at = `127.0.0.1:${postgres.port}/parley`;
  const urls = ['parley:service', 'parley_login_2:second', 'parley_login_3:third'].map(
    (who) => `postgres://${who}@${at}`,
  );
  const letIn = () =>
    Promise.all(
      urls.map(async (url) => {
        const db = openDatabase(url, { maxConnections: 1 });
        const asked = db.query(sql`select from agents limit 0`);
        return asked
          .then(
            () => true,
            () => false,
          )
          .finally(() => db.close());
      }),
    );
  await prepare(environment);
  expect(await letIn()).toEqual([true, false, false]);
  await prepare({ ...environment, PARLEY_DATABASE_URL: urls[1] ?? '' });
  expect(await letIn()).toEqual([true, true, false]);
  await prepare({ ...environment, PARLEY_DATABASE_URL: urls[2] ?? '' });
  expect(await letIn()).toEqual([false, true, true]);
  // Whoever goes back is let in again.
  await prepare(environment);
  expect(await letIn()).toEqual([true, true, true]);
});

test('by whatever step the number of a password grows, only the login that it had before stays open', async () => {
  const client = new pg.Client({ connectionString: postgres.adminUrl });
  await client.connect();
  // Of somebody else: its name only begins alike.
  await client.query('create role shop_login_book login');
  const opened: string[][] = [];
  for (const generation of [1, 3, 3, 8]) {
    await ensureLogin(client, { role: 'shop', generation }, 'secret');
    const open = await client.query<{ name: string }>(
      "select rolname as name from pg_roles where rolcanlogin and starts_with(rolname, 'shop') order by 1",
    );
    opened.push(open.rows.map(({ name }) => name));
  }
  await client.end();
  expect(opened).toEqual([
    ['shop', 'shop_login_book'],
    ['shop', 'shop_login_3', 'shop_login_book'],
    ['shop', 'shop_login_3', 'shop_login_book'],
    ['shop_login_3', 'shop_login_8', 'shop_login_book'],
  ]);
});

test('what is missing is told at once', async () => {
  const failure = await prepare({ PARLEY_FEATURES: 'telepathy' }).catch((error: { stderr: string }) => error.stderr);
  for (const name of ['PARLEY_TENANT', 'PARLEY_DATABASE_ADMIN_URL', 'PARLEY_DATABASE_URL', 'PARLEY_FEATURES'])
    expect(failure).toContain(name);
});

test('a database of its own is made on a server that is shared, where its neighbour has no access', async () => {
  const superuser = openDatabase(postgres.adminUrl, { maxConnections: 1 });
  // As the first user of RDS is.
  await superuser.query(sql`create role parley_server login createrole createdb password 'server'`);
  await superuser.close();
  const at = `127.0.0.1:${postgres.port}`;
  const guest = (name: string) => ({
    PARLEY_DATABASE_SERVER_URL: `postgres://parley_server:server@${at}/postgres`,
    PARLEY_DATABASE_ADMIN_URL: `postgres://parley_${name}_admin:${name}@${at}/parley_${name}`,
    PARLEY_DATABASE_URL: `postgres://parley_${name}:${name}@${at}/parley_${name}`,
    PARLEY_TENANT: name,
  });
  const [one, two] = [guest('one'), guest('two')];
  await Promise.all([prepare(one), prepare(two)]);
  expect(await prepare(one)).toBe('The schema is current; the tenant is "one".\n');
  const intruder = openDatabase(`postgres://parley_two_admin:two@${at}/parley_one`, { maxConnections: 1 });
  await expect(intruder.query(sql`select 1`)).rejects.toThrow(/permission denied for database/);
  await intruder.close();
});

test('a foundation makes the databases of its guests, who never see what opens the server, and bounds their connections', async () => {
  const superuser = openDatabase(postgres.adminUrl, { maxConnections: 1 });
  await superuser.query(sql`create role foundation login createrole createdb password 'server'`);
  const at = `127.0.0.1:${postgres.port}`;
  const asGuest = (slot: number) => `postgres://guest_${slot}_admin:seat@${at}/guest_${slot}`;
  await prepare({
    PARLEY_DATABASE_SERVER_URL: `postgres://foundation:server@${at}/postgres`,
    PARLEY_DATABASE_ADMIN_URL: `postgres://parley_host_admin:host@${at}/parley_host`,
    PARLEY_DATABASE_URL: `postgres://parley_host:host@${at}/parley_host`,
    PARLEY_GUEST_DATABASE_URLS: [asGuest(1), asGuest(2)].join(','),
    PARLEY_GUEST_CONNECTIONS: '7',
    PARLEY_TENANT: 'host',
  });
  const bounds = await superuser.query(sql`select datconnlimit from pg_database where datname like 'guest_%'`);
  expect(bounds).toEqual([{ datconnlimit: 7 }, { datconnlimit: 7 }]);
  await superuser.close();
  const guest = {
    PARLEY_DATABASE_ADMIN_URL: asGuest(1),
    PARLEY_DATABASE_URL: `postgres://guest_1:service@${at}/guest_1`,
    PARLEY_TENANT: 'shop',
  };
  expect(await prepare(guest)).toMatch(/the tenant is "shop"/);
  const intruder = openDatabase(`postgres://guest_2_admin:seat@${at}/guest_1`, { maxConnections: 1 });
  await expect(intruder.query(sql`select 1`)).rejects.toThrow(/permission denied for database/);
  await intruder.close();
});
