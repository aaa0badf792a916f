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
import { startBusyCarrier } from '../support/phone/busy-carrier.ts';
import { addNumber, addTrunk, startTelephone } from '../support/phone/telephone.ts';
import { peopleKeys } from '../support/world/master-keys.ts';
import type { World } from '../support/world/world.ts';
import { type Judged, judgeCalls, type StoredCall } from './calls-judged.ts';

export interface CallingPlan {
  /** In each an API and a worker are killed. */
  rounds: number;
  /** Asked for at once, in each round. */
  calls: number;
  /** No round begins later. */
  withinMs: number;
}

export interface Called extends Judged {
  rounds: number;
  seconds: { asking: number; ending: number };
}

const ours = '+4930300001';
const always = [{ days: ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'], from: '00:00', to: '24:00' }];
/** A person has 180 requests a minute, those included that an API refuses which has not found its database yet. */
const askAgainMs = 500;
/** Within which a process of a round dies. */
const apiDiesWithinMs = 300;
const workerDiesWithinMs = 1_500;
/** An API starts again meanwhile, on a machine that may be busy. What no worker has taken up ends after four minutes; the bridge gives up after 85 s. */
const endsWithinMs = 270_000;

export async function callOut(
  { rounds: most, calls, withinMs }: CallingPlan,
  onRound: (nth: number) => void,
): Promise<Called> {
  using carrier = await startBusyCarrier();
  const agents = await callingAgent();
  await using telephone = await startTelephone({ workers: 1, agents, settings: { peopleKeys, trustProxyHops: 1 } });
  const { world } = telephone;
  const anything = { max_dials_per_minute: 6_000, max_calls_a_day: 1_000_000, max_minutes_a_day: 1_000_000 };
  const trunk = await addTrunk(world, { address: carrier.address, allowed_prefixes: ['+49'], ...anything });
  await addNumber(world, { number: ours, trunk_id: trunk, agent: 'calling' });
  const asked = new Map<string, string>();
  const began = performance.now();
  let rounds = 0;
  for (; rounds < most && performance.now() - began < withinMs; rounds += 1) {
    // A person has 180 requests a minute.
    const person = await somebody(world, rounds);
    const numbers = Array.from(
      { length: calls },
      (_, index) => `+49170${String(rounds * calls + index).padStart(7, '0')}`,
    );
    const askAll = numbers.map(async (to) => void asked.set(to, await ask(world, person, to)));
    await Promise.all([killApi(world), killWorker(world), ...askAll]);
    onRound(rounds + 1);
  }
  const askedAt = performance.now();
  const isOver = await allEnd(world);
  const judged = judgeCalls({ asked, stored: await storedCalls(world), seen: [...carrier.calls.values()] });
  const [asking, ending] = [askedAt - began, performance.now() - askedAt].map((ms) => Math.round(ms / 1_000));
  return {
    ...judged,
    rounds,
    faults: [...isOver, ...judged.faults],
    seconds: { asking: asking ?? 0, ending: ending ?? 0 },
  };
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

/** As a customer's program asks: by one key, until there is an answer. Gives the call's id. */
async function ask({ tenant }: World, person: Visitor, to: string): Promise<string> {
  const headers = { 'Idempotency-Key': randomUUID() };
  const askOnce = async () => {
    const body = { from: ours, to };
    const answer = await person.ask('POST', `/api/tenants/${tenant}/outbound-calls`, { body, headers });
    if (answer.status !== 202) throw new Error(`${answer.status} ${answer.text}`);
    return String(answer.body.id);
  };
  return await eventually('the call is taken', askOnce, { everyMs: askAgainMs, withinMs: endsWithinMs });
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

/** What is wrong with it. */
async function allEnd({ admin }: World): Promise<string[]> {
  const open = sql`select 1 from calls where ended_at is null`;
  const wait = eventually('each call is over', async () => (await admin.query(open)).length === 0, {
    ...{ withinMs: endsWithinMs, everyMs: 500 },
  });
  return wait.then(
    () => [],
    (error: Error) => [error.message],
  );
}

const storedCalls = ({ admin }: World) =>
  admin.query<StoredCall>(
    sql`select c.id, c.state, c.sip_code, c.refused_because, s.status as session, s.billed_seconds
        from calls c left join sessions s on s.id = c.session_id`,
  );
