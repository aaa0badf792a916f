import { randomUUID } from 'node:crypto';
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Database, openDatabase } from '../../services/store/database.ts';
import { migrate } from '../../services/store/migrate.ts';
import { sql } from '../../services/store/sql.ts';
import { startPostgres, type TestPostgres } from '../support/databases/postgres.ts';
import { eventually } from '../support/eventually.ts';

const ours = new URL('../../services/store/migrations/', import.meta.url);

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
  await mkdir(join(folder, 'no-functions'));
  await writeFile(join(folder, 'no-functions', 'releases.txt'), 'none\n');
});

afterEach(async () => {
  await superuser?.close();
  await postgres?.[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

/** Runs our migrations that are `chosen`, and one more. */
async function run(chosen: (name: string) => boolean, more?: { name: string; text: string }): Promise<string[]> {
  await cp(ours, folder, { recursive: true, filter: (source) => !source.endsWith('.sql') || chosen(source) });
  if (more) await writeFile(join(folder, more.name), more.text);
  // Functions need all tables.
  const functions = chosen('0020_') ? undefined : pathToFileURL(`${join(folder, 'no-functions')}/`);
  return (await migrate({ ...urls, migrations: pathToFileURL(`${folder}/`), ...(functions && { functions }) }))
    .migrations;
}

const addRevision = (column: 'reason' | 'author') =>
  superuser.query({
    text: `with t as (insert into tenants (slug, name) values ('acme', 'Acme') returning id)
      insert into agent_revisions (tenant_id, source, state, ${column}) select id, 'folder', 'refused', $1 from t`,
    values: ['desk.yaml:3:5 Write it so.'],
  });

const change = { name: '9999_change.sql', text: "update agent_revisions set author = 'changed';" };

test("a change of tenants' rows that an owner under row-level security would not make is refused, and named", async () => {
  await run(() => true);
  await addRevision('author');
  await expect(run(() => true, change)).rejects.toThrow(
    /^The migration 9999_change\.sql failed and changed nothing: .*row-level security policy for table "agent_revisions"/,
  );
  expect(await superuser.query(sql`select 1 from migrations where name = ${change.name}`)).toEqual([]);
});

test('it is made when the migration says so, and row-level security is forced again', async () => {
  await run(() => true);
  await addRevision('author');
  const text = `alter table agent_revisions no force row level security; ${change.text}
    alter table agent_revisions force row level security;`;
  expect(await run(() => true, { ...change, text })).toEqual([change.name]);
  expect(await superuser.query(sql`select author from agent_revisions`)).toEqual([{ author: 'changed' }]);
  expect(
    await superuser.query(sql`select relname from pg_class
      where relnamespace = 'public'::regnamespace and relrowsecurity and not relforcerowsecurity`),
  ).toEqual([]);
});

test('a change waits for a table that is being read, and holds up nobody else meanwhile', async () => {
  await run(() => true);
  const [backup, reader] = [openDatabase(urls.adminUrl), openDatabase(urls.adminUrl)];
  const alter = { name: '9999_alter.sql', text: 'alter table hosts add column model text;' };
  let isDone = false;
  let migrated: Promise<string[]> | undefined;
  // As pg_dump holds every table for as long as it takes.
  await backup.asTenant(randomUUID(), async (tx) => {
    await tx.query(sql`lock table hosts in access share mode`);
    migrated = run(() => true, alter).finally(() => {
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
  await run((name) => /000[1-7]_/.test(name));
  await addRevision('reason');
  await run(() => true);
  expect(await superuser.query(sql`select reasons from agent_revisions`)).toEqual([
    { reasons: [{ file: 'desk.yaml', line: 3, column: 5, message: 'Write it so.' }] },
  ]);
});
