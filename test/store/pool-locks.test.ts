import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Database, openDatabase } from '../../services/store/database.ts';
import { sql } from '../../services/store/sql.ts';
import { openPoolLocks, type PoolLocks } from '../../services/worker/jobs/pool-locks.ts';
import { startPostgres, type TestPostgres } from '../support/databases/postgres.ts';
import { eventually } from '../support/eventually.ts';

let written = '';
let postgres: TestPostgres;
let admin: Database;
let locks: PoolLocks;
let others: PoolLocks;

beforeAll(async () => {
  postgres = await startPostgres({
    onOutput: (chunk) => {
      written += chunk;
    },
  });
  admin = openDatabase(postgres.adminUrl);
  [locks, others] = [openPoolLocks(postgres.adminUrl), openPoolLocks(postgres.adminUrl)];
});

afterAll(async () => {
  await Promise.all([locks?.close(), others?.close(), admin?.close()]);
  await postgres?.[Symbol.asyncDispose]();
});

/** Without those by which the processes themselves live. */
const held = async () =>
  (
    await admin.query(sql`
      select 1 from pg_locks where locktype = 'advisory' and granted
        and ((classid::bigint << 32) | objid::bigint) not in (${locks.lockKey}::bigint, ${others.lockKey}::bigint)`)
  ).length;

/** What PostgreSQL has written since the last time: it writes in order. */
async function logUntilNow(): Promise<string> {
  await admin.query(sql`do $$ begin raise warning 'until here'; end $$`);
  await eventually('the log is written', () => written.includes('until here'));
  const said = written;
  written = '';
  return said;
}

test('a lock that was taken twice is given back as often, and never more often', async () => {
  await Promise.all([locks.hold('twice'), locks.hold('twice')]);
  await locks.hold('once');
  expect(await held()).toBe(2);
  await locks.letGo('twice');
  expect(await held()).toBe(1);
  await locks.letGo('once');
  await locks.letGo('never taken');
  expect(await held()).toBe(0);
  expect(await logUntilNow()).not.toContain("you don't own a lock");
});

test('who waits for a lock and is let go before has it neither then nor later', async () => {
  await others.hold('wanted');
  const waiting = locks.hold('wanted');
  await locks.letGo('wanted');
  await others.letGo('wanted');
  await waiting;
  expect(await held()).toBe(0);
});

test('a lock that is held is taken again once on a new connection, and given back', async () => {
  await locks.hold('kept');
  await admin.query(
    sql`select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'parley-worker-locks'`,
  );
  await eventually('it is held again', async () => (await held()) === 1);
  await eventually('it is given back', async () => {
    await locks.letGo('kept');
    return (await held()) === 0;
  });
  expect(await logUntilNow()).not.toContain("you don't own a lock");
});
