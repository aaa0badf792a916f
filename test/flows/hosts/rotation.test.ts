import { afterAll, beforeAll, expect, test } from 'vitest';
import { loginOf } from '../../../services/settings/database-login.ts';
import type { Values } from '../../../services/settings/settings.ts';
import { openDatabase } from '../../../services/store/database.ts';
import { migrate } from '../../../services/store/migrate.ts';
import { sql } from '../../../services/store/sql.ts';
import type { Customer } from '../../support/people/customer.ts';
import { endTalks, everybodyWrites, nothingLostOrRepeated, startTalk, type Talk } from '../../support/people/talk.ts';
import { masterKeys } from '../../support/world/master-keys.ts';
import { startWorld, type World } from '../../support/world/world.ts';

/** The next master key. */
const second = `k2:${Buffer.alloc(32, 8).toString('base64')}`;

let world: World;
let customer: Customer;
let talks: Talk[];

beforeAll(async () => {
  // Its role's password changes, and roles are the server's.
  world = await startWorld({ ownPostgres: true });
  customer = await world.customer();
  talks = [await startTalk(customer), await startTalk(customer), await startTalk(customer)];
});

afterAll(() => world?.[Symbol.asyncDispose]());

/** As a rollout: what is new is ready before what was there is told to stop. The API keeps its address, as a Service does. */
async function roll(settings: Values): Promise<void> {
  const old = [...world.hosts, ...world.workers].filter((process) => process.running);
  await Promise.all([world.startHost({ settings }), world.startWorker({ settings })]);
  await Promise.all(old.map((process) => process.stop(25_000)));
  const [api] = world.apis.filter((process) => process.running);
  await api?.stop();
  await world.startApi({ settings, inPlaceOf: api });
}

async function goOn(text: string): Promise<void> {
  await everybodyWrites(talks, text);
  for (const talk of talks) {
    expect(talk.person.disconnectedBecause).toBeUndefined();
    await nothingLostOrRepeated(world, talk);
  }
}

/** As a stack has it after so many changes of `rotation.databasePassword`. */
function urlOf(generation: number): string {
  const url = new URL(world.serviceUrl);
  if (generation === 1) return url.href;
  url.username = loginOf({ role: url.username, generation });
  url.password = `password ${generation}`;
  return url.href;
}

/** As the job prepare does it. */
const prepare = (generation: number) => migrate({ adminUrl: world.adminUrl, serviceUrl: urlOf(generation) });

const cutConnections = () =>
  world.admin.query(sql`select pg_terminate_backend(pid) from pg_stat_activity where usename like 'parley_service%'`);

async function isLetIn(url: string): Promise<boolean> {
  const db = openDatabase(url, { maxConnections: 1 });
  return db
    .query(sql`select 1`)
    .then(
      () => true,
      () => false,
    )
    .finally(() => db.close());
}

test('the services’ password for the database changes in conversations: who has the one of before is let in until it is replaced', async () => {
  await goOn('before');
  await prepare(2);
  expect(await Promise.all([1, 2].map((generation) => isLetIn(urlOf(generation))))).toEqual([true, true]);
  // Whatever they were connected by is gone.
  await cutConnections();
  await goOn('by the one of before');
  // In the same rollout, the first of two for the master keys.
  await roll({ databaseUrl: urlOf(2), masterKeys: `${masterKeys},${second}` });
  await goOn('by the next');
  await prepare(3);
  expect(await Promise.all([1, 2, 3].map((generation) => isLetIn(urlOf(generation))))).toEqual([false, true, true]);
});

test('a password that is taken away from processes that run cuts no conversation, and what they owe is written when they have it back', async () => {
  const role = new URL(urlOf(2)).username;
  await world.admin.query({ text: `alter role ${role} nologin`, values: [] });
  await cutConnections();
  await everybodyWrites(talks, 'while nobody is let in');
  await prepare(2);
  await goOn('let in again');
});

test('the master keys change in conversations, and what the first has sealed is still opened', async () => {
  await roll({ databaseUrl: urlOf(2), masterKeys: `${second},${masterKeys}` });
  await goOn('the second seals');
  // The API opens the agent's key for it.
  const later = await startTalk(customer);
  await endTalks(customer, [...talks, later]);
});
