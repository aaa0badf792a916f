/** What PostgreSQL spends on a piece of work. */

import { readFile } from 'node:fs/promises';
import { childrenOf } from '../../../scripts/toolchain/processes.ts';
import type { Database } from '../../../services/store/database.ts';
import { one, sql } from '../../../services/store/sql.ts';

export interface Cost {
  /** Round trips: what a function does inside counts as one. */
  statements: number;
  walBytes: number;
  /** Processor time of all processes of PostgreSQL. */
  cpuMs: number;
  seconds: number;
}

export interface CountedDatabase {
  db: Database;
  statements(): number;
}

/** The same database, with its round trips counted: a transaction costs two beside its statements. */
export function countingStatements(db: Database): CountedDatabase {
  let statements = 0;
  return {
    statements: () => statements,
    db: {
      ...db,
      query: (query) => {
        statements += 1;
        return db.query(query);
      },
      asTenant: (tenant, work) => {
        statements += 2;
        return db.asTenant(tenant, (tx) =>
          work({
            ...tx,
            query: (query) => {
              statements += 1;
              return tx.query(query);
            },
          }),
        );
      },
    },
  };
}

/** @param admin a superuser */
export async function costOf(admin: Database, counted: CountedDatabase, work: () => Promise<unknown>): Promise<Cost> {
  const before = await spent(admin, counted);
  const began = performance.now();
  await work();
  const seconds = (performance.now() - began) / 1000;
  const after = await spent(admin, counted);
  return {
    statements: after.statements - before.statements,
    walBytes: after.walBytes - before.walBytes,
    seconds,
    cpuMs: [...after.cpuMs].reduce((sum, [pid, ms]) => sum + ms - (before.cpuMs.get(pid) ?? 0), 0),
  };
}

async function spent(admin: Database, counted: CountedDatabase) {
  const { bytes, started_by: startedBy } = await one<{ bytes: number; started_by: number }>(
    admin,
    sql`select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::float8 as bytes,
      split_part(pg_read_file('postmaster.pid'), ${'\n'}, 1)::integer as started_by`,
  );
  const pids = [startedBy, ...(await childrenOf(startedBy))];
  const cpuMs = new Map(await Promise.all(pids.map(async (pid) => [pid, await cpuMsOf(pid)] as const)));
  return { statements: counted.statements(), walBytes: bytes, cpuMs };
}

/** In nanoseconds there, where /proc/<pid>/stat has hundredths of a second. */
async function cpuMsOf(pid: number): Promise<number> {
  const [onCpu] = (await readFile(`/proc/${pid}/schedstat`, 'utf8').catch(() => '0')).split(' ');
  return Number(onCpu) / 1e6;
}
