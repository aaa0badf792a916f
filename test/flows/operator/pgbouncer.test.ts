import { afterAll, beforeAll, expect, test } from 'vitest';
import { readPeopleKeys } from '../../../services/core/account/people-keys.ts';
import { peopleDatabaseUrl } from '../../../services/store/people-database.ts';
import { sql } from '../../../services/store/sql.ts';
import { startPgBouncer, type TestPgBouncer } from '../../support/databases/pgbouncer.ts';
import { eventually } from '../../support/eventually.ts';
import { invitation, openPeople, Visitor } from '../../support/people/account.ts';
import {
  agentOf,
  endTalks,
  everybodyWrites,
  nothingLostOrRepeated,
  startTalk,
  type Talk,
} from '../../support/people/talk.ts';
import { peopleKeys } from '../../support/world/master-keys.ts';
import { startWorld, type World } from '../../support/world/world.ts';

/** Fewer than the pools of the processes would open by themselves (12 each). */
const poolSize = 6;
const conversations = 20;

let world: World;
let bouncer: TestPgBouncer;

const behindIt = () => ({
  settings: { databaseUrl: bouncer.through(world.serviceUrl), databaseDirectUrl: world.serviceUrl },
});

beforeAll(async () => {
  world = await startWorld({
    ...{ hosts: 0, apis: 0, workers: 0, ownPostgres: true },
    settings: { peopleKeys, trustProxyHops: 1 },
  });
  // A pooler that ignores what clients ask for as they connect sets neither.
  await world.admin.query(sql`alter role parley_service set statement_timeout = '8s'`);
  await world.admin.query(sql`alter role parley_service set idle_in_transaction_session_timeout = '10s'`);
  const people = peopleDatabaseUrl(world.serviceUrl, readPeopleKeys(peopleKeys).databasePassword);
  const program = process.env.SOAK_POOLER ?? 'pgbouncer';
  bouncer = await startPgBouncer({ program, urls: [world.serviceUrl, people], poolSize });
  const two = [behindIt(), behindIt()];
  await Promise.all([
    ...two.map((of) => world.startHost(of)),
    world.startApi(behindIt()),
    world.startWorker(behindIt()),
  ]);
});

afterAll(async () => {
  await world?.[Symbol.asyncDispose]();
  await bouncer?.[Symbol.asyncDispose]();
});

test('behind a PgBouncer that lends its connections for a transaction conversations are held, handed over, taken over and finished', async () => {
  const customer = await world.customer();
  const talks: Talk[] = [];
  for (let nth = 0; nth < conversations; nth += 4)
    talks.push(...(await Promise.all(Array.from({ length: 4 }, () => startTalk(customer)))));
  await everybodyWrites(talks, 'first');
  const [stopped, killed] = world.hosts;
  await stopped?.stop(60_000);
  await everybodyWrites(talks, 'handed over');
  await world.startHost(behindIt());
  const agents = talks.map(agentOf);
  await killed?.kill();
  await eventually('another agent is there', () =>
    talks.every((talk, nth) => ![undefined, agents[nth]].includes(agentOf(talk))),
  );
  await everybodyWrites(talks, 'taken over');
  for (const talk of talks) await nothingLostOrRepeated(world, talk);
  await endTalks(customer, talks);
  await eventually('every conversation is finished', async () => {
    const open = sql`select 1 from sessions where finished_at is null`;
    return (await world.admin.query(open)).length === 0;
  });
  const { transactions, clients, servers } = await bouncer.figures();
  process.stdout.write(`${transactions} transactions, ${clients} clients on ${servers} connections\n`);
  expect(transactions).toBeGreaterThan(conversations * 3);
  // Of each role.
  expect(servers).toBeLessThanOrEqual(2 * poolSize);
  expect(clients).toBeGreaterThan(servers);
});

test('people sign in behind it, and see what was said', async () => {
  const people = openPeople(world.serviceUrl);
  const person = new Visitor([world.baseUrl]);
  await person.accept(await invitation(people, world.tenant, 'ada@example.com', 'editor'), 'Ada');
  await people.close();
  const { status, body } = await person.ask('GET', `/api/tenants/${world.tenant}/sessions?limit=100`);
  expect({ status, sessions: (body.items as unknown[]).length }).toEqual({ status: 200, sessions: conversations });
});
