import { randomUUID } from 'node:crypto';
import type { Task } from 'graphile-worker';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { makeVault } from '../../../services/core/credentials/vault.ts';
import { putOnList, wakeOverdueQueues } from '../../../services/core/deliveries/queue.ts';
import { makeReceivers, type ReceiverLimits } from '../../../services/core/deliveries/receivers.ts';
import { systemClock } from '../../../services/process/clock.ts';
import { guardedFetch } from '../../../services/process/outbound/guarded-fetch.ts';
import { sql } from '../../../services/store/sql.ts';
import type { DeliveryRow } from '../../../services/store/tables/deliveries.ts';
import { upsertTenant } from '../../../services/store/tables/tenants.ts';
import { startJobPool } from '../../../services/worker/jobs/job-pool.ts';
import { openPoolLocks } from '../../../services/worker/jobs/pool-locks.ts';
import { deliveryTasks } from '../../../services/worker/jobs/tasks.ts';
import { makeMetrics } from '../../../services/worker/metrics.ts';
import { type MigratedDatabase, startMigratedDatabase } from '../../support/databases/migrated-database.ts';
import { eventually } from '../../support/eventually.ts';
import { answering, type Reaction, WebhookReceiver } from '../../support/stand-ins/webhook-receiver.ts';
import { compiledAgent, publish } from '../../support/world/compiled-agent.ts';
import { masterKeys } from '../../support/world/master-keys.ts';

/** As many as the worker has. */
const concurrency = 20;
const patience = { withinMs: 60_000 };
const none = (_agent: string, error: unknown) => {
  throw error;
};

let store: MigratedDatabase;
let tenant: string;
let receivers: Record<string, WebhookReceiver>;

beforeEach(async () => {
  store = await startMigratedDatabase();
  receivers = {};
});

afterEach(async () => {
  await Promise.all(Object.values(receivers).map((receiver) => receiver.close()));
  await store[Symbol.asyncDispose]();
});

/** An agent for each name, each with a receiver of its own. */
async function haveAgents(reactions: Record<string, Reaction>): Promise<void> {
  ({ id: tenant } = await upsertTenant(store.admin, { slug: 'acme', name: 'Acme', features: { webhook: true } }));
  for (const [agent, reaction] of Object.entries(reactions)) {
    const receiver = await WebhookReceiver.start();
    receiver.reaction = reaction;
    receivers[agent] = receiver;
  }
  const agents = Object.entries(receivers).map(([agent, { url }]) =>
    compiledAgent({ agent, settings: { webhook: { url } } }),
  );
  await publish({ serviceUrl: store.serviceUrl, masterKeys, tenant }, agents);
}

const received = (agent: string) => receivers[agent]?.deliveries.map(({ id }) => id) ?? [];

/** Deliveries as finished conversations leave them. Returns their ids. */
const haveDeliveries = (agent: string, count: number): Promise<string[]> =>
  store.db.asTenant(tenant, async (tx) => {
    const rows = await tx.query<DeliveryRow>(sql`
      insert into deliveries (id, tenant_id, agent, event, url, body)
      select gen_random_uuid(), ${tenant}, ${agent}, 'conversation.finished', ${receivers[agent]?.url}, '{}'
      from generate_series(1, ${count}) returning *`);
    for (const row of rows) await putOnList(tx, row);
    return rows.map(({ id }) => id);
  });

interface Choices {
  limits?: Partial<ReceiverLimits>;
  answerWithinMs?: number;
}

/** The jobs of a worker that delivers. */
function startDelivering({ limits = {}, answerWithinMs = 15_000 }: Choices = {}) {
  const log = { warn: () => undefined, debug: () => undefined, info: () => undefined } as never;
  const locks = openPoolLocks(store.serviceUrl);
  const stopping = new AbortController();
  const { db } = store;
  const tasks = deliveryTasks({
    ...{ db, log, metrics: makeMetrics(db), vault: makeVault(masterKeys), clock: systemClock, env: {}, guardedFetch },
    forAgents: { declared: {} },
    ...{ allowLoopback: true, answerWithinMs, retryScale: 0.001, commitStatus: undefined, signal: stopping.signal },
    receivers: makeReceivers(undefined, undefined, limits),
  });
  let jobs = 0;
  const counted = Object.entries(tasks).map(([name, task]): [string, Task] => [
    name,
    (...given) => {
      jobs += 1;
      return (task as Task)(...given);
    },
  ]);
  const name = `test ${randomUUID()}`;
  const pool = startJobPool(
    { log, locks },
    { name, directUrl: store.serviceUrl, concurrency, tasks: Object.fromEntries(counted) },
  );
  return {
    jobs: () => jobs,
    [Symbol.asyncDispose]: async () => {
      stopping.abort();
      await Promise.all(Object.values(receivers).map((receiver) => receiver.close()));
      await pool.stop();
      await locks.close();
    },
  };
}

/** Keeps requests open, and answers each with 200 when it is told to, or after `answerAfterMs`. */
function holding(answerAfterMs?: number) {
  let open = 0;
  const most = { sinceAlways: 0, lately: 0 };
  const reaction = answering((response) => {
    open += 1;
    most.sinceAlways = Math.max(most.sinceAlways, open);
    most.lately = Math.max(most.lately, open);
    response.on('close', () => {
      open -= 1;
    });
    if (answerAfterMs !== undefined) setTimeout(() => response.writeHead(200).end(), answerAfterMs);
  });
  return { reaction, open: () => open, most };
}

const attemptsTo = (agent: string) =>
  store.admin.query(sql`
    select 1 from delivery_attempts a join deliveries d on d.id = a.delivery_id where d.agent = ${agent}`);

const waitingFor = (agent: string) =>
  store.admin.query(sql`select 1 from deliveries where agent = ${agent} and status = 'pending'`);

test('four receivers that hang, with a backlog each, leave a place for a fifth that answers', async () => {
  const hanging = ['a', 'b', 'c', 'd'].map((agent) => ({ agent, ...holding() }));
  const reactions = Object.fromEntries(hanging.map(({ agent, reaction }) => [agent, reaction]));
  await haveAgents({ ...reactions, sound: 200 });
  for (const { agent } of hanging) await haveDeliveries(agent, 30);
  await using _worker = startDelivering({ answerWithinMs: 40_000 });
  await eventually('each has its hands full', () => hanging.every(({ open }) => open() === 5), patience);
  const sound = await haveDeliveries('sound', 10);
  await eventually('the sound one has everything', () => received('sound').length === 10, patience);
  expect(received('sound').toSorted()).toEqual(sound.toSorted());
  for (const { agent, most } of hanging) {
    expect(await attemptsTo(agent)).toEqual([]);
    expect(most.sinceAlways).toBe(5);
  }
});

test('a backlog of 2 000 behind a receiver that does not answer waits in the table: it takes a job now and then', async () => {
  await haveAgents({ dead: 'hang', sound: 200 });
  await haveDeliveries('dead', 2_000);
  await using worker = startDelivering({ answerWithinMs: 200, limits: { restMs: 100 } });
  // Five at once, then one at a time.
  await eventually('it was tried again and again', () => received('dead').length >= 9, patience);
  const [sound] = await haveDeliveries('sound', 1);
  await eventually('others are not concerned', () => received('sound')[0] === sound, patience);
  expect(worker.jobs()).toBeLessThan(30);
  expect(await waitingFor('dead')).toHaveLength(2_000);
});

test('a receiver that needs long for its answers is asked by one delivery at a time, and gets everything', async () => {
  const slow = holding(120);
  await haveAgents({ slow: slow.reaction });
  // Many more than the five of the beginning: some are left when the look at the others begins.
  const ids = await haveDeliveries('slow', 14);
  await using _worker = startDelivering({ limits: { slowMs: 100 } });
  await eventually('five answers were slow', async () => (await attemptsTo('slow')).length >= 5, patience);
  await eventually('those under way are over', () => slow.open() <= 1, patience);
  slow.most.lately = 0;
  await eventually('nothing waits', async () => (await waitingFor('slow')).length === 0, patience);
  expect(slow.most.lately).toBe(1);
  expect(received('slow').toSorted()).toEqual(ids.toSorted());
});

test('what waited for a receiver that was down is all delivered once it is back, by two workers, each once', async () => {
  await haveAgents({ back: 'hang' });
  await using _one = startDelivering({ answerWithinMs: 100, limits: { restMs: 100 } });
  await using _two = startDelivering({ answerWithinMs: 100, limits: { restMs: 100 } });
  const ids = await haveDeliveries('back', 300);
  await eventually('it was tried in vain', async () => (await attemptsTo('back')).length >= 5, patience);
  const receiver = receivers.back as WebhookReceiver;
  receiver.reaction = 200;
  await eventually('nothing waits', async () => (await waitingFor('back')).length === 0, patience);
  const answered = await store.admin.query<{ id: string }>(
    sql`select delivery_id as id from delivery_attempts where status_code = 200`,
  );
  expect(answered.map(({ id }) => id).toSorted()).toEqual(ids.toSorted());
});

test('deliveries whose job was lost are made once they have been due for a minute', async () => {
  await haveAgents({ forgotten: 200, served: 200 });
  const lost = await haveDeliveries('forgotten', 3);
  await store.admin.query(sql`delete from graphile_worker._private_jobs`);
  expect(await wakeOverdueQueues(store, none)).toBe(0);
  await store.admin.query(sql`update deliveries set next_attempt_at = now() - interval '2 minutes'`);
  expect(await wakeOverdueQueues(store, none)).toBe(1);
  await using _worker = startDelivering();
  await eventually('all were made', () => received('forgotten').length === 3, patience);
  expect(received('forgotten').toSorted()).toEqual(lost.toSorted());
});

test('an agent whose overdue deliveries cannot be woken holds up no other', async () => {
  await haveAgents({ first: 200, second: 200 });
  for (const agent of ['first', 'second']) await haveDeliveries(agent, 1);
  await store.admin.query(sql`delete from graphile_worker._private_jobs`);
  await store.admin.query(sql`update deliveries set next_attempt_at = now() - interval '2 minutes'`);
  const faults: string[] = [];
  let asked = 0;
  const failsOnce: Pick<MigratedDatabase['db'], 'query' | 'asTenant'> = {
    query: store.db.query,
    asTenant: (whose, work) => {
      asked += 1;
      return asked === 1 ? Promise.reject(new Error('a deadlock')) : store.db.asTenant(whose, work);
    },
  };
  const db = { ...store.db, ...failsOnce };
  expect(await wakeOverdueQueues({ db }, (agent) => faults.push(agent))).toBe(2);
  expect(faults).toHaveLength(1);
  const woken = await store.admin.query(
    sql`select 1 from graphile_worker.jobs where task_identifier = 'deliver_webhooks'`,
  );
  expect(woken).toHaveLength(1);
});
