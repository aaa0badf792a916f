import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { stopSeconds } from '../../../infra/plan/measured.ts';
import { handoverSeconds } from '../../../services/contract/handover.ts';
import { sql } from '../../../services/store/sql.ts';
import { storedLines } from '../../proofs/proof-world.ts';
import { eventually } from '../../support/eventually.ts';
import { Customer } from '../../support/people/customer.ts';
import { endTalks, isAnswered, nothingLostOrRepeated, startTalk, type Talk, write } from '../../support/people/talk.ts';
import { type Balancer, startBalancer } from '../../support/stand-ins/balancer.ts';
import type { ServiceProcess } from '../../support/world/service-process.ts';
import { startWorld, type World } from '../../support/world/world.ts';

/** In every run as many of both as two slow cores carry beside a process that starts: a machine of half the speed refused requests with those of the soak. */
const [conversations, requestsPerSecond] = process.env.SOAK_ROLLOUT ? ([50, 100] as const) : ([20, 50] as const);
/** As its pod gives it (infra/plan/agents.ts). */
const hostCapacity = 200;
const hostGraceSeconds = handoverSeconds(hostCapacity) + stopSeconds.agent;
/** One request in so many creates a session and ends it; the others read. */
const readsPerSession = 50;

let world: World;
let balancer: Balancer;
let customer: Customer;

beforeAll(async () => {
  world = await startWorld({
    apis: 2,
    hosts: 2,
    capacity: hostCapacity,
    // Production waits for balancers before it stops to listen.
    settings: { environment: 'production', trustProxyHops: 1 },
    warmRooms: 8,
  });
  balancer = await startBalancer();
  for (const api of world.apis) balancer.add(api);
  const { apiKey } = await world.credentials('echo');
  customer = new Customer(balancer.url, apiKey);
  await eventually('both API processes are in use', () => world.apis.every(balancer.uses));
});

afterAll(async () => {
  await balancer?.[Symbol.asyncDispose]();
  await world?.[Symbol.asyncDispose]();
});

/** Requests begin at their rate whether or not earlier ones were answered. Gives what failed, in words. */
async function requestsUntil(signal: AbortSignal, sessions: readonly string[]) {
  const failed: string[] = [];
  const asked: Promise<void>[] = [];
  const began = performance.now();
  while (!signal.aborted) {
    const early = began + (asked.length * 1_000) / requestsPerSecond - performance.now();
    if (early > 1) await pause(early);
    const number = asked.length;
    asked.push(request(number, sessions).catch((error: Error) => void failed.push(`${number}: ${error.message}`)));
  }
  await Promise.all(asked);
  return { failed, total: asked.length };
}

async function request(number: number, sessions: readonly string[]): Promise<void> {
  const headers = { 'x-forwarded-for': `10.0.${(number >> 8) & 255}.${number & 255}` };
  if (number % readsPerSession === 0) {
    const { sessionId } = await customer.createSession({}, headers);
    await customer.endSession(sessionId);
    return;
  }
  const path = number % 2 === 0 ? '/api/sessions/languages' : `/api/sessions/${sessions[number % sessions.length]}`;
  const answer = await customer.call('GET', path, { headers });
  if (answer.status !== 200) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`);
  await answer.arrayBuffer();
}

/** People who write, read the answer, think for a moment and write again; nobody's client sends anything a second time. */
async function talkUntil(signal: AbortSignal, talk: Talk): Promise<void> {
  while (!signal.aborted) {
    const text = `text ${talk.written.length}`;
    await write(talk, text);
    await isHeardAnswered(talk, text);
    await pause(1_000);
  }
}

async function isHeardAnswered(talk: Talk, text: string): Promise<void> {
  const look = () => isAnswered(talk, text);
  const options = { everyMs: 50, withinMs: 60_000 };
  await eventually(`"${text}" is answered`, look, options).catch(async (error: Error) => {
    const stored = (await storedLines(world, talk.sessionId)).slice(-4);
    const heard = talk.person.replies.slice(-3);
    throw new Error(`${error.message}; stored: ${JSON.stringify(stored)}; heard: ${JSON.stringify(heard)}`);
  });
}

async function stopInOrder(process: ServiceProcess, graceSeconds = 40): Promise<void> {
  const exited = process.exited as Promise<[number | null, string | null]>;
  await process.stop(graceSeconds * 1_000);
  expect(await exited, process.output()).toEqual([0, null]);
}

/** As Kubernetes rolls a Deployment: the new one is ready before the old one is told to stop. */
async function replaceEverything(): Promise<void> {
  for (const old of [...world.apis]) {
    const api = await world.startApi();
    balancer.add(api);
    await eventually('the new API process is in use', () => balancer.uses(api));
    await stopInOrder(old);
  }
  for (const old of [...world.hosts]) {
    await world.startHost();
    await stopInOrder(old, hostGraceSeconds);
  }
  for (const old of [...world.workers]) {
    await world.startWorker();
    // On a busy machine a job may outlast its patience; then another worker runs it again.
    await old.stop(40_000);
  }
}

test('everything is replaced, one by one: no request fails and no conversation breaks', async () => {
  const talks: Talk[] = [];
  for (let i = 0; i < conversations; i += 10)
    talks.push(...(await Promise.all(Array.from({ length: 10 }, () => startTalk(customer)))));
  const over = new AbortController();
  const requests = requestsUntil(
    over.signal,
    talks.map(({ sessionId }) => sessionId),
  );
  const talking = Promise.all(talks.map((talk) => talkUntil(over.signal, talk)));
  try {
    await Promise.race([replaceEverything(), talking]);
  } finally {
    over.abort();
  }
  await talking;
  const { failed, total } = await requests;
  expect(failed).toEqual([]);
  expect(total).toBeGreaterThan(500);
  for (const talk of talks) {
    expect(talk.person.disconnectedBecause).toBeUndefined();
    await nothingLostOrRepeated(world, talk);
  }
  await endTalks(customer, talks);
  await eventually('every conversation is finished', async () => {
    const rows = await world.admin.query(sql`select 1 from sessions where finished_at is null and status = 'ended'`);
    return rows.length === 0;
  });
}, 600_000);
