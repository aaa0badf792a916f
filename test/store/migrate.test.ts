import { randomUUID } from 'node:crypto';
import { cp, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Database, openDatabase } from '../../services/store/database.ts';
import { migrate } from '../../services/store/migrate.ts';
import { sql } from '../../services/store/sql.ts';
import { startPostgres, type TestPostgres } from '../support/databases/postgres.ts';
import { describeSchema } from '../support/databases/schema.ts';
import { eventually } from '../support/eventually.ts';
import { startTcpProxy } from '../support/network/tcp-proxy.ts';

const ours = new URL('../../services/store/migrations/', import.meta.url);
const theFirstTwenty = new URL('./fixtures/the-first-twenty/', import.meta.url);

let postgres: TestPostgres;
let superuser: Database;
let folder: string;
let urls: { adminUrl: string; serviceUrl: string };

beforeEach(async () => {
  postgres = await startPostgres();
  const first = openDatabase(postgres.adminUrl, { maxConnections: 1 });
  // As managed servers give it: an owner who may make roles, and is no superuser.
  await first.query(sql`create role parley_admin login createrole password 'owner'`);
  await first.query(sql`create database parley owner parley_admin`);
  await first.close();
  superuser = openDatabase(postgres.adminUrl.replace(/postgres$/, 'parley'));
  const at = `127.0.0.1:${postgres.port}/parley`;
  urls = { adminUrl: `postgres://parley_admin:owner@${at}`, serviceUrl: `postgres://parley:service@${at}` };
  folder = await mkdtemp(join(tmpdir(), 'parley-migrations-'));
});

afterEach(async () => {
  await superuser?.close();
  await postgres?.[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

/** Runs our migrations, and one more. */
async function run(more?: { name: string; text: string }): Promise<string[]> {
  await cp(ours, folder, { recursive: true });
  if (more) await writeFile(join(folder, more.name), more.text);
  return (await migrate({ ...urls, migrations: pathToFileURL(`${folder}/`) })).migrations;
}

/** Runs those of the first twenty that are `chosen`, as releases did before there was the baseline. */
async function runOld(chosen: RegExp): Promise<string[]> {
  const [old, noFunctions] = [join(folder, 'old'), join(folder, 'no-functions')];
  await cp(theFirstTwenty, old, { recursive: true, filter: (path) => !path.endsWith('.sql') || chosen.test(path) });
  await mkdir(noFunctions, { recursive: true });
  await writeFile(join(noFunctions, 'releases.txt'), 'none\n');
  // As their runner had it, for the functions in them.
  await superuser.query(sql`alter role parley_admin set check_function_bodies = off`);
  const folders = { migrations: pathToFileURL(`${old}/`), functions: pathToFileURL(`${noFunctions}/`) };
  return (await migrate({ ...urls, ...folders })).migrations;
}

const addRevision = (column: 'reason' | 'author') =>
  superuser.query({
    text: `with t as (insert into tenants (slug, name) values ('acme', 'Acme') returning id)
      insert into agent_revisions (tenant_id, source, state, ${column}) select id, 'folder', 'refused', $1 from t`,
    values: ['desk.yaml:3:5 Write it so.'],
  });

const change = { name: '9999_change.sql', text: "update agent_revisions set author = 'changed';" };

test("a change of tenants' rows that an owner under row-level security would not make is refused, and named", async () => {
  await run();
  await addRevision('author');
  await expect(run(change)).rejects.toThrow(
    /^The migration 9999_change\.sql failed and changed nothing: .*row-level security policy for table "agent_revisions"/,
  );
  expect(await superuser.query(sql`select 1 from migrations where name = ${change.name}`)).toEqual([]);
});

test('it is made when the migration says so, and row-level security is forced again', async () => {
  await run();
  await addRevision('author');
  const text = `alter table agent_revisions no force row level security; ${change.text}
    alter table agent_revisions force row level security;`;
  expect(await run({ ...change, text })).toEqual([change.name]);
  expect(await superuser.query(sql`select author from agent_revisions`)).toEqual([{ author: 'changed' }]);
  expect(
    await superuser.query(sql`select relname from pg_class
      where relnamespace = 'public'::regnamespace and relrowsecurity and not relforcerowsecurity`),
  ).toEqual([]);
});

test('nobody is left in the database when all is done: it can be copied, renamed or dropped at once', async () => {
  await run();
  // So far away that what is said last takes its time.
  await using way = await startTcpProxy(postgres.port);
  way.delay(100);
  await migrate({ ...urls, serviceUrl: way.through(urls.serviceUrl) });
  expect(
    await superuser.query(sql`select usename, query from pg_stat_activity
      where datname = 'parley' and usename in ('parley', 'parley_admin')`),
  ).toEqual([]);
});

test('a change waits for a table that is being read, and holds up nobody else meanwhile', async () => {
  await run();
  const [backup, reader] = [openDatabase(urls.adminUrl), openDatabase(urls.adminUrl)];
  const alter = { name: '9999_alter.sql', text: 'alter table hosts add column model text;' };
  let isDone = false;
  let migrated: Promise<string[]> | undefined;
  // As pg_dump holds every table for as long as it takes.
  await backup.asTenant(randomUUID(), async (tx) => {
    await tx.query(sql`lock table hosts in access share mode`);
    migrated = run(alter).finally(() => {
      isDone = true;
    });
    const waits = sql`select 1 from pg_stat_activity where wait_event_type = 'Lock' and query like 'alter table hosts%'`;
    await eventually('the change waits', async () => (await superuser.query(waits)).length > 0);
    expect(await reader.query(sql`select 1 from hosts`)).toEqual([]);
    expect(isDone).toBe(false);
  });
  expect(await migrated).toEqual([alter.name]);
  await Promise.all([backup.close(), reader.close()]);
});

test('reasons of revisions that were refused before there was a place for each survive the upgrade', async () => {
  await runOld(/000[1-7]_/);
  await addRevision('reason');
  await runOld(/./);
  await run();
  expect(await superuser.query(sql`select reasons from agent_revisions`)).toEqual([
    { reasons: [{ file: 'desk.yaml', line: 3, column: 5, message: 'Write it so.' }] },
  ]);
});

const names = async (folder: URL) => (await readdir(folder)).filter((name) => name.endsWith('.sql')).sort();

test('a database that the first twenty migrations made is adopted, to the last grant what a new one is', async () => {
  await superuser.query(sql`create database fresh owner parley_admin`);
  const fresh = {
    adminUrl: urls.adminUrl.replace(/parley$/, 'fresh'),
    serviceUrl: urls.serviceUrl.replace(/parley$/, 'fresh'),
  };
  expect(await runOld(/./)).toEqual(await names(theFirstTwenty));
  await addRevision('author');
  const later = (await names(ours)).filter((name) => name !== '0020_data_model.sql');
  expect(await migrate(urls)).toEqual({ migrations: later, functions: 'applied' });
  await migrate(fresh);
  const [adopted, made] = await Promise.all([describeSchema(urls.adminUrl), describeSchema(fresh.adminUrl)]);
  expect(adopted).toEqual(made);
  expect(made.tables.length).toBeGreaterThan(20);
  expect(await superuser.query(sql`select author from agent_revisions`)).toHaveLength(1);
});

test('one that only some of them have made gets a sentence that says what to do, and is left as it is', async () => {
  await runOld(/000[1-7]_/);
  await addRevision('reason');
  const before = await describeSchema(urls.adminUrl);
  await expect(run()).rejects.toThrow(
    'its newest migration is 0007_scenario_passes.sql. Start the release of commit 84e85df on it first, then this one; nothing was changed',
  );
  expect(await describeSchema(urls.adminUrl)).toEqual(before);
  await runOld(/./);
  await run();
  expect(await superuser.query(sql`select reasons from agent_revisions`)).toHaveLength(1);
});

test('the services make no schema, no table, and not even a temporary one', async () => {
  await run();
  const services = openDatabase(urls.serviceUrl, { maxConnections: 1 });
  for (const text of ['create schema x', 'create table public.x ()', 'create temporary table sessions ()'])
    await expect(services.query({ text, values: [] })).rejects.toThrow(/^permission denied/);
  await services.close();
});
