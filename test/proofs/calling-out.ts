/** Calls out while the processes that make them are killed: nobody is rung twice, and each call comes to an end that is known. */
import { randomUUID } from 'node:crypto';
import { cp, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { sleep } from '../../services/process/sleep.ts';
import { sql } from '../../services/store/sql.ts';
import { eventually } from '../support/eventually.ts';
import { invitation, openPeople, Visitor } from '../support/people/account.ts';
import { type BusyCarrier, startBusyCarrier } from '../support/phone/busy-carrier.ts';
import { addNumber, addTrunk, startTelephone } from '../support/phone/telephone.ts';
import { peopleKeys } from '../support/world/master-keys.ts';
import type { World } from '../support/world/world.ts';

export interface CallingPlan {
  /** In each an API and a worker are killed. */
  rounds: number;
  /** Asked for at once, in each round. */
  calls: number;
}

export interface Called {
  calls: number;
  /** How many came to which end. */
  states: Record<string, number>;
  faults: string[];
}

const ours = '+4930300001';
const always = [{ days: ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'], from: '00:00', to: '24:00' }];
/** Within which a process of a round dies. */
const apiDiesWithinMs = 300;
const workerDiesWithinMs = 1_500;
/** What no worker has taken up ends after four minutes; the bridge gives up after 85 s. */
const endsWithinMs = 270_000;

export async function callOut({ rounds, calls }: CallingPlan, onRound: (nth: number) => void): Promise<Called> {
  using carrier = await startBusyCarrier();
  const agents = await callingAgent();
  await using telephone = await startTelephone({ workers: 1, agents, settings: { peopleKeys, trustProxyHops: 1 } });
  const { world } = telephone;
  const anything = { max_dials_per_minute: 6_000, max_calls_a_day: 1_000_000, max_minutes_a_day: 1_000_000 };
  const trunk = await addTrunk(world, { address: carrier.address, allowed_prefixes: ['+49'], ...anything });
  await addNumber(world, { number: ours, trunk_id: trunk, agent: 'calling' });
  const asked: string[] = [];
  for (let nth = 0; nth < rounds; nth += 1) {
    // A person has 180 requests a minute.
    const person = await somebody(world, nth);
    const numbers = Array.from(
      { length: calls },
      (_, index) => `+49170${String(nth * calls + index).padStart(7, '0')}`,
    );
    asked.push(...numbers);
    await Promise.all([killApi(world), killWorker(world), ...numbers.map((to) => ask(world, person, to))]);
    onRound(nth + 1);
  }
  return await judge(world, carrier, asked);
}

/** The echo agent, which may call anybody at any time. */
async function callingAgent(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'parley-agents-'));
  await cp(new URL('../agents/', import.meta.url).pathname, folder, { recursive: true });
  const echo = await readFile(join(folder, 'echo.yaml'), 'utf8');
  const phone = { outbound: { consent: 'not-required', hours: always } };
  await writeFile(join(folder, 'calling.yaml'), `${echo}\n${stringify({ phone }, { aliasDuplicateObjects: false })}`);
  return folder;
}

async function somebody(world: World, nth: number): Promise<Visitor> {
  const people = openPeople(world.serviceUrl);
  const person = new Visitor([world.baseUrl], `203.0.113.${nth % 250}`);
  await person.accept(await invitation(people, world.tenant, `caller-${nth}@example.com`, 'editor'), 'Caller');
  await people.close();
  return person;
}

/** As a customer's program asks: by one key, until there is an answer. */
async function ask({ tenant }: World, person: Visitor, to: string): Promise<void> {
  const headers = { 'Idempotency-Key': randomUUID() };
  await eventually('the call is taken', async () => {
    const answer = await person.ask('POST', `/api/tenants/${tenant}/outbound-calls`, {
      body: { from: ours, to },
      headers,
    });
    return answer.status === 202;
  });
}

async function killApi(world: World): Promise<void> {
  const api = world.apis.find(({ running }) => running);
  await sleep(Math.random() * apiDiesWithinMs);
  await api?.kill();
  await world.startApi({ inPlaceOf: api });
}

async function killWorker(world: World): Promise<void> {
  const worker = world.workers.find(({ running }) => running);
  await sleep(Math.random() * workerDiesWithinMs);
  await worker?.kill();
  await world.startWorker();
}

async function judge(world: World, carrier: BusyCarrier, asked: readonly string[]): Promise<Called> {
  const open = sql`select 1 from calls where ended_at is null`;
  const faults: string[] = [];
  await eventually('each call is over', async () => (await world.admin.query(open)).length === 0, {
    ...{ withinMs: endsWithinMs, everyMs: 500 },
  }).catch((error: Error) => void faults.push(error.message));
  const rows = await world.admin.query<{ state: string; calls: number }>(
    sql`select state, count(*)::integer as calls from calls group by state order by state`,
  );
  const states = Object.fromEntries(rows.map(({ state, calls }) => [state, calls]));
  const stored = rows.reduce((sum, { calls }) => sum + calls, 0);
  if (stored !== asked.length) faults.push(`${asked.length} calls were asked for, and ${stored} are stored`);
  for (const number of asked)
    if (carrier.callsTo(number) > 1) faults.push(`${number} was called ${carrier.callsTo(number)} times`);
  const rung = asked.filter((number) => carrier.callsTo(number) > 0).length;
  if (rung < (states.busy ?? 0)) faults.push(`${states.busy} are stored as busy, and ${rung} were called`);
  const live = await world.admin.query(sql`select 1 from sessions where channel = 'phone' and status <> 'ended'`);
  if (live.length > 0) faults.push(`${live.length} sessions go on`);
  return { calls: asked.length, states, faults };
}
