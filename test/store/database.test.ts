import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Database, isDatabaseUnavailable, openDatabase } from '../../services/store/database.ts';
import { one, sql } from '../../services/store/sql.ts';
import { startPostgres, type TestPostgres } from '../support/databases/postgres.ts';

let postgres: TestPostgres;
let db: Database;
const tenant = '00000000-0000-4000-8000-000000000001';

beforeAll(async () => {
  postgres = await startPostgres();
  db = openDatabase(postgres.adminUrl, { maxConnections: 2 });
  await db.query(sql`create table notes (text text)`);
});

afterAll(async () => {
  await db?.close();
  await postgres?.[Symbol.asyncDispose]();
});

const notes = async () => (await db.query<{ text: string }>(sql`select text from notes`)).map((row) => row.text);
const failureOf = (work: Promise<unknown>) => work.then(() => undefined).catch((error: unknown) => error);

describe('a transaction', () => {
  test('commits what was written when its work is done', async () => {
    await db.asTenant(tenant, (tx) => tx.query(sql`insert into notes values ('kept')`));
    expect(await notes()).toContain('kept');
  });

  test('keeps nothing when its work fails, and the failure is told as it was', async () => {
    const failure = new Error('changed my mind');
    const told = await failureOf(
      db.asTenant(tenant, async (tx) => {
        await tx.query(sql`insert into notes values ('dropped')`);
        throw failure;
      }),
    );
    expect(told).toBe(failure);
    expect(await notes()).not.toContain('dropped');
  });

  test('names its tenant for itself alone: the next user of the connection has none', async () => {
    const named = (tx: Pick<Database, 'query'>) =>
      one<{ tenant: string | null }>(tx, sql`select nullif(current_setting('parley.tenant', true), '') as tenant`);
    expect(await db.asTenant(tenant, named)).toEqual({ tenant });
    const later = await Promise.all(Array.from({ length: 8 }, () => named(db)));
    expect(later).toEqual(Array(8).fill({ tenant: null }));
  });

  test.each(['', 'local', `${tenant}'; drop table notes; --`])('refuses %j as a tenant', async (name) => {
    await expect(db.asTenant(name, async () => 'ran')).rejects.toThrow(/as a uuid/);
    expect(await notes()).toContain('kept');
  });

  test('whose connection dies between two queries fails, and neither the process nor the pool does', async () => {
    const told = await failureOf(
      db.asTenant(tenant, async (tx) => {
        const { pid } = await one<{ pid: number }>(tx, sql`select pg_backend_pid() as pid`);
        await db.query(sql`select pg_terminate_backend(${pid})`);
        await tx.query(sql`insert into notes values ('lost')`);
      }),
    );
    expect(isDatabaseUnavailable(told)).toBe(true);
    expect(await db.asTenant(tenant, (tx) => one(tx, sql`select 1 as it`))).toEqual({ it: 1 });
    expect(await notes()).not.toContain('lost');
  });
});

describe('a database that is away', () => {
  test('is told apart from one that refuses what it was asked', async () => {
    const refused = await failureOf(db.query(sql`select * from nowhere`));
    expect(refused).toBeInstanceOf(Error);
    expect(isDatabaseUnavailable(refused)).toBe(false);
    expect(isDatabaseUnavailable(new Error('a row was expected and none came back'))).toBe(false);
    expect(isDatabaseUnavailable('not an error')).toBe(false);
  });

  test.each(['40001', '40P01', '53100', '53200', '53400', '55P03', '58030', '25P03'])(
    'what fails with %s passes: the same may work later',
    async (code) => {
      const raise = `do $$ begin raise exception 'not now' using errcode = '${code}'; end $$`;
      expect(isDatabaseUnavailable(await failureOf(db.query({ text: raise, values: [] })))).toBe(true);
    },
  );

  test.each(['22001', '23505', '42501', 'P0001'])('what fails with %s would fail again', async (code) => {
    const raise = `do $$ begin raise exception 'never' using errcode = '${code}'; end $$`;
    expect(isDatabaseUnavailable(await failureOf(db.query({ text: raise, values: [] })))).toBe(false);
  });

  test.each(['EHOSTUNREACH', 'ENETUNREACH', 'EPERM'])('%s is said of the way to it, not of what was asked', (code) => {
    const error = Object.assign(new Error(`connect ${code} 10.0.0.1:5432`), { code, syscall: 'connect' });
    expect(isDatabaseUnavailable(error)).toBe(true);
  });

  test('stopped, it is away at once and back when it is started', async () => {
    await postgres.stop();
    expect(isDatabaseUnavailable(await failureOf(db.query(sql`select 1`)))).toBe(true);
    expect(isDatabaseUnavailable(await failureOf(db.asTenant(tenant, async () => 'ran')))).toBe(true);
    await postgres.start();
    expect(await notes()).toContain('kept');
  });

  test('frozen, it holds nobody for ever', async () => {
    const hasty = openDatabase(postgres.adminUrl, { maxConnections: 1, queryTimeoutMs: 500 });
    await postgres.pause();
    const told = await failureOf(hasty.query(sql`select 1`));
    await postgres.resume();
    await hasty.close();
    expect(isDatabaseUnavailable(told)).toBe(true);
    expect(await notes()).toContain('kept');
  });
});
