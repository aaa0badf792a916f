import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { LeaseKeeper } from '../../services/agent/host/lease-keeper.ts';
import { DeathWatch } from '../../services/core/hosts/death-watch.ts';
import { type DeadHost, releaseDeadHosts, type Watcher } from '../../services/core/hosts/release-dead-hosts.ts';
import { type Database, openDatabase } from '../../services/store/database.ts';
import { one, sql } from '../../services/store/sql.ts';
import { insertHost, releaseHost } from '../../services/store/tables/hosts.ts';
import { openPoolLocks } from '../../services/worker/jobs/pool-locks.ts';
import { startFakeHost } from '../support/databases/fake-host.ts';
import { type MigratedDatabase, startMigratedServer } from '../support/databases/migrated-database.ts';
import type { TestPostgres } from '../support/databases/postgres.ts';
import { eventually } from '../support/eventually.ts';
import { startTcpProxy, type TcpProxy } from '../support/network/tcp-proxy.ts';

let store: MigratedDatabase & { postgres: TestPostgres };
let standby: Awaited<ReturnType<TestPostgres['addStandby']>>;
const opened: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  store = await startMigratedServer();
  standby = await store.postgres.addStandby();
  await eventually('the server has settled', async () => (await settledMs(store.admin)) > 10_500, { withinMs: 60_000 });
});

afterEach(async () => {
  for (const close of opened.splice(0).reverse()) await close();
});

afterAll(async () => {
  await store?.[Symbol.asyncDispose]();
  await standby?.[Symbol.asyncDispose]();
});

const settledMs = async (q: Database) => (await one<{ ms: number }>(q, sql`select settled_ms() as ms`)).ms;

async function aProxy(): Promise<TcpProxy> {
  const proxy = await startTcpProxy(store.postgres.port);
  opened.push(async () => proxy[Symbol.asyncDispose]());
  return proxy;
}

interface Life {
  keeper: LeaseKeeper;
  db: Database;
  /** How often somebody declared it dead. */
  deaths(): number;
}

/** What an agent host is to the database, by a way of its own, and by another one for its lock. */
async function aHost(proxy?: TcpProxy, lockProxy = proxy): Promise<Life> {
  const url = lockProxy?.through(store.serviceUrl) ?? store.serviceUrl;
  const db = openDatabase(proxy?.through(store.serviceUrl) ?? store.serviceUrl, { queryTimeoutMs: 3_000 });
  let deaths = 0;
  const keeper = await LeaseKeeper.start({
    ...{ db, directUrl: url, capacity: 10, voiceCapacity: 0, abilities: [] },
    ...{ onNotification: () => undefined, onReady: () => undefined },
    onDeclaredDead: () => {
      deaths += 1;
    },
  });
  opened.push(async () => {
    await keeper.stop();
    await db.close();
  });
  return { keeper, db, deaths: () => deaths };
}

/** Looks at who has died, as hosts and workers do, and as often as the hosts (250 ms); tells whom it has found dead. */
function watch(db: Database, watcher: Watcher): { dead: DeadHost[]; looks: () => number } {
  const deaths = new DeathWatch();
  const dead: DeadHost[] = [];
  let looks = 0;
  let looking = false;
  const timer = setInterval(async () => {
    if (looking) return;
    looking = true;
    await releaseDeadHosts(db, deaths, watcher).then(
      (found) => {
        looks += 1;
        dead.push(...found);
      },
      () => deaths.forget(),
    );
    looking = false;
  }, 250);
  opened.push(async () => clearInterval(timer));
  return { dead, looks: () => looks };
}

const holder = async ({ keeper }: Life, q = store.admin) =>
  (
    await q.query<{ pid: number }>(sql`
      select pid from pg_locks where locktype = 'advisory' and granted
        and ((classid::bigint << 32) | objid::bigint) = ${keeper.lockKey}::bigint`)
  ).map(({ pid }) => pid);

test('a host whose connection is half open takes its lock again, from its own earlier connection, and nobody takes it for dead', async () => {
  const proxy = await aProxy();
  const [host, other] = [await aHost(proxy), await aHost()];
  const seen = watch(other.db, other.keeper);
  const before = await holder(host);
  proxy.halfOpen();
  await eventually('it holds its lock by another connection', async () => {
    const now = await holder(host);
    return now.length === 1 && now[0] !== before[0];
  });
  const from = seen.looks();
  await eventually('the other has looked for a while', () => seen.looks() > from + 10);
  expect(seen.dead).toEqual([]);
  expect([host.deaths(), other.deaths()]).toEqual([0, 0]);
});

test('a host that cannot take its lock again for a while, and beats all the same, lives', async () => {
  const way = await aProxy();
  const [host, other] = [await aHost(undefined, way), await aHost()];
  const seen = watch(other.db, other.keeper);
  const own = watch(host.db, host.keeper);
  await eventually('both have looked', () => Math.min(seen.looks(), own.looks()) > 5);
  const [pid] = await holder(host);
  way.partition();
  await store.admin.query(sql`select pg_terminate_backend(${pid ?? 0})`);
  await eventually('nobody holds its lock', async () => (await holder(host)).length === 0);
  const from = seen.looks();
  await eventually('the other has looked for longer than a proof takes', () => seen.looks() > from + 12);
  expect(await holder(host)).toEqual([]);
  way.heal();
  await eventually('it holds its lock again', async () => (await holder(host)).length === 1);
  expect(seen.dead).toEqual([]);
  expect(host.deaths()).toBe(0);
});

test('a host that was declared dead is known again once it holds its lock, and is not declared dead a second time', async () => {
  const way = await aProxy();
  const [host, other] = [await aHost(undefined, way), await aHost()];
  const seen = watch(other.db, other.keeper);
  const [pid] = await holder(host);
  // It stood still, and meanwhile its lock was lost without a word.
  way.partition();
  await store.admin.query(sql`select pg_terminate_backend(${pid ?? 0})`);
  await releaseHost(store.db, host.keeper.id);
  const from = seen.looks();
  await eventually('the other has looked for longer than a proof takes', () => seen.looks() > from + 12);
  way.heal();
  await eventually('it knows of its death', () => host.deaths() > 0);
  expect(await holder(host)).toHaveLength(1);
  expect(host.deaths()).toBe(1);
  expect(seen.dead).toEqual([]);
});

test('who does not find its own lock among those of the others concludes nothing', async () => {
  const dead = await startFakeHost(store.serviceUrl);
  const free = 4_711;
  await insertHost(store.db, { id: crypto.randomUUID(), lockKey: free, capacity: 1, voiceCapacity: 0 });
  const blind = watch(store.db, { lockKey: 815, connectionSettledMs: Infinity });
  await eventually('it has looked often enough', () => blind.looks() > 10);
  expect(blind.dead).toEqual([]);
  const locks = openPoolLocks(store.serviceUrl);
  opened.push(
    () => locks.close(),
    async () => dead[Symbol.asyncDispose](),
  );
  await locks.hold('any');
  const seeing = watch(store.db, locks);
  await eventually('the free one is found', () => seeing.dead.length === 1);
});

test('after a promotion that broke no connection nobody alive is declared dead, not even by who starts then', async () => {
  const [one, two] = [await aProxy(), await aProxy()];
  const hosts = [await aHost(one), await aHost(two)];
  const seen = hosts.map(({ db, keeper }) => watch(db, keeper));
  await eventually('all have looked', () => seen.every(({ looks }) => looks() > 5));
  await store.postgres.pause();
  for (const proxy of [one, two]) {
    proxy.halfOpen();
    proxy.aim(standby.port);
  }
  await standby.promote();
  const admin = openDatabase(standby.adminUrl);
  const promoted = new URL(store.serviceUrl);
  promoted.port = String(standby.port);
  const newcomer = openDatabase(promoted.href);
  const locks = openPoolLocks(promoted.href);
  opened.push(
    () => admin.close(),
    () => newcomer.close(),
    () => locks.close(),
  );
  await locks.hold('any');
  const third = watch(newcomer, locks);
  await eventually('everybody holds its lock on the new server', async () =>
    (await Promise.all(hosts.map((host) => holder(host, admin)))).every(({ length }) => length === 1),
  );
  await eventually('the new server has settled', async () => (await settledMs(admin)) > 11_000);
  const from = [...seen, third].map(({ looks }) => looks());
  await eventually('all have looked since', () =>
    [...seen, third].every(({ looks }, i) => looks() > (from[i] ?? 0) + 10),
  );
  expect([...seen, third].flatMap(({ dead }) => dead)).toEqual([]);
  expect(hosts.map(({ deaths }) => deaths())).toEqual([0, 0]);
  await store.postgres.resume();
});
