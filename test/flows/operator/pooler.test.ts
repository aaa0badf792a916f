import { afterAll, beforeAll, expect, test } from 'vitest';
import { freeTcpPort } from '../../../scripts/toolchain/ports.ts';
import { variables } from '../../../services/settings/write.ts';
import { sql } from '../../../services/store/sql.ts';
import { eventually } from '../../support/eventually.ts';
import { startTcpProxy, type TcpProxy } from '../../support/network/tcp-proxy.ts';
import {
  programOf,
  type RunningService,
  runService,
  type ServiceName,
  whenReady,
} from '../../support/world/installation.ts';
import { startWorld, type World } from '../../support/world/world.ts';

const names: ServiceName[] = ['api', 'worker', 'agent'];
/** Who holds a lock, listens or runs jobs. */
const direct = [
  'parley-agent-lease',
  'parley-api-listen',
  'parley-worker-call',
  'parley-worker-deliver',
  'parley-worker-finish',
  'parley-worker-locks',
];

let world: World;
let pooler: TcpProxy;
let services: RunningService[];

beforeAll(async () => {
  world = await startWorld({ hosts: 0, apis: 0, workers: 0 });
  pooler = await startTcpProxy(Number(new URL(world.serviceUrl).port));
  const urls = { databaseUrl: pooler.through(world.serviceUrl), databaseDirectUrl: world.serviceUrl };
  services = await Promise.all(
    names.map(async (name) => {
      const env = { ...world.env, ...variables({ ...urls, ...(name === 'api' ? { port: await freeTcpPort() } : {}) }) };
      return runService(programOf(name), env, await freeTcpPort());
    }),
  );
  await Promise.all(services.map(whenReady));
});

afterAll(async () => {
  await Promise.all((services ?? []).map((service) => service[Symbol.asyncDispose]()));
  await pooler?.[Symbol.asyncDispose]();
  await world?.[Symbol.asyncDispose]();
});

/** Of the services, by the name that each connection gives itself; those with a lock of their own for life, or that of all. */
const connected = async ({ locking }: { locking: boolean }) =>
  (
    await world.admin.query<{ name: string }>(sql`
      select distinct application_name as name from pg_stat_activity a
      where datname = current_database() and application_name like 'parley-%' and (not ${locking} or exists (
        select from pg_locks l where l.pid = a.pid and l.locktype = 'advisory' and l.mode = 'ExclusiveLock'))
      order by 1`)
  ).map(({ name }) => name);

test('where the database is behind a pooler, locks, what is listened to and jobs go past it, and nothing else does', async () => {
  await eventually('each process has opened what it opens', async () => {
    const all = await connected({ locking: false });
    return [...direct, 'parley-agent', 'parley-worker'].every((name) => all.includes(name));
  });
  pooler.refuse();
  pooler.cut();
  await eventually('what goes through the pooler is gone', async () => {
    const left = await connected({ locking: false });
    return left.every((name) => direct.includes(name));
  });
  expect(await connected({ locking: false })).toEqual(direct);
  expect(await connected({ locking: true })).toEqual(['parley-agent-lease', 'parley-worker-locks']);
});
