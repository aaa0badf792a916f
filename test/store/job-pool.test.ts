import { expect, test } from 'vitest';
import type { Logger } from '../../services/process/logger.ts';
import { sql } from '../../services/store/sql.ts';
import { addJob } from '../../services/store/tables/jobs.ts';
import { startJobPool } from '../../services/worker/jobs/job-pool.ts';
import { openPoolLocks } from '../../services/worker/jobs/pool-locks.ts';
import { startMigratedDatabase } from '../support/databases/migrated-database.ts';
import { eventually } from '../support/eventually.ts';

test('a job pool runs its jobs and has nothing to warn of', async () => {
  await using store = await startMigratedDatabase();
  const { tenant } = await store.addTenant('mine');
  const warnings: unknown[] = [];
  const log = { warn: (fields: unknown) => warnings.push(fields), debug: () => undefined } as unknown as Logger;
  const locks = openPoolLocks(store.serviceUrl);
  const done: unknown[] = [];
  const pool = startJobPool(
    { log, locks },
    {
      name: 'test',
      directUrl: store.serviceUrl,
      concurrency: 20,
      tasks: { finish_session: async (payload) => void done.push(payload) },
    },
  );
  await store.db.asTenant(tenant, (tx) => addJob(tx, 'finish_session', { tenant, session: 's' }, { key: 'k' }));
  await eventually('the job was run', () => done.length === 1);
  await eventually('its row is gone', async () => {
    const rows = await store.db.query(sql`select 1 from graphile_worker.jobs`);
    return rows.length === 0;
  });
  await pool.stop();
  await locks.close();
  expect(warnings).toEqual([]);
});
