import { setTimeout as wait } from 'node:timers/promises';
import { openDatabase } from '../../../services/store/database.ts';
import { sql } from '../../../services/store/sql.ts';
import { eventually } from '../../support/eventually.ts';
import { type Caller, hangUp, talk } from './callers.ts';
import { agentsBecome, agentsOf, figureOf, kedaSays, type ScalingWorld } from './scaling-world.ts';

export interface Chapter {
  what: string;
  /** How long it took until that was so. */
  seconds: number;
  agents: number;
}

export interface Story {
  chapters: Chapter[];
  conversationsHandedOver: number;
}

/** The autoscaler lets a tenth pass. */
const tolerated = 1.1;
const agent = 'support';
/** More than a fleet that runs needs to fall back. */
const withoutApiMs = 120_000;

/**
 * Nobody talks, somebody comes, the API goes and returns, many come, most leave, all leave: what KEDA makes of our figure.
 * @throws where something else happens; conversations go on through all of it
 */
export async function tellStory(world: ScalingWorld, say: (chapter: Chapter) => void): Promise<Story> {
  const { agents: plan } = world.plan;
  /** With those before them too many for the planned number. */
  const people = Math.ceil(plan.fixedReplicas * plan.targetSessionsPerPod * tolerated);
  const chapters: Chapter[] = [];
  const chapter = async <Value>(what: string, happens: () => Promise<Value>): Promise<Value> => {
    const began = performance.now();
    const value = await happens();
    const seconds = Math.round((performance.now() - began) / 1000);
    const ended = { what, seconds, agents: await agentsOf(world) };
    chapters.push(ended);
    say(ended);
    return value;
  };

  const customer = await world.tenant.customer(`kubectl exec deploy/worker -- parley credentials show ${agent}`);
  await chapter('nobody talks: no agent runs', () => agentsBecome(world, 'no agent runs', (count) => count === 0));
  const first = await chapter('somebody waits for an agent and is answered', () => talk(customer, 1));
  await chapter('the API is killed: as many agents as the plan says', async () => {
    await world.api.kill();
    await agentsBecome(world, `${plan.fixedReplicas} agents`, (count) => count === plan.fixedReplicas);
    if (!(await kedaSays(world, 'Fallback'))) throw new Error('KEDA does not say that it falls back');
    await askAll(first);
  });
  await chapter('the API is back: KEDA scales on its figure again', async () => {
    world.api = await world.tenant.start('api');
    await eventually('KEDA no longer falls back', async () => !(await kedaSays(world, 'Fallback')), {
      withinMs: 120_000,
    });
  });
  const callers = await chapter(`${people} people more talk: more agents`, async () => {
    const more = await talk(customer, people);
    const needed = Math.ceil((people + 1) / plan.targetSessionsPerPod);
    await agentsBecome(world, `${needed} agents or more`, (count) => count >= needed);
    return [...first, ...more];
  });
  const { stay, leave } = await twoOfEachHost(world, callers);
  await chapter(`${leave.length} hang up, ${stay.length} talk on: agents go one by one`, async () => {
    await hangUp(leave);
    let agents = await agentsOf(world);
    const enough = Math.ceil(stay.length / plan.targetSessionsPerPod);
    while (agents > enough) {
      const before = agents;
      agents = await agentsBecome(world, `fewer than ${before} agents`, (count) => count !== before);
      if (agents !== before - 1) throw new Error(`${before} agents became ${agents}`);
      await eventually('the agent that went has ended', () => world.pods.count() === agents, { withinMs: 120_000 });
      await askAll(stay);
    }
  });
  const conversationsHandedOver = await handedOver(world, stay);
  if (conversationsHandedOver === 0) throw new Error('no agent that went had a conversation to hand over');
  await chapter('everybody hangs up: no agent runs', async () => {
    await hangUp(stay);
    await agentsBecome(world, 'no agent runs', (count) => count === 0);
  });
  await chapter('the API is killed while no agent runs: none is started', async () => {
    await world.api.kill();
    await wait(withoutApiMs);
    await agentsBecome(world, 'no agent runs', (count) => count === 0);
    world.api = await world.tenant.start('api');
  });
  const last = await chapter('somebody waits for an agent again and is answered', () => talk(customer, 1));
  await hangUp(last);
  return { chapters, conversationsHandedOver };
}

/** Each is answered in the conversation that they have. */
const askAll = (callers: readonly Caller[]) => Promise.all(callers.map(({ person }) => person.ask('Hello again')));

/** Whoever stays talks to different agents, so that every agent that goes has somebody to hand over. */
async function twoOfEachHost(world: ScalingWorld, callers: readonly Caller[]) {
  const hosts = Map.groupBy(await sessionsOf(world, callers), ({ host_id }) => host_id);
  const ids = new Set([...hosts.values()].flatMap((sessions) => sessions.slice(0, 2).map(({ id }) => id)));
  const stays = ({ session }: Caller) => ids.has(session.sessionId);
  return { stay: callers.filter(stays), leave: callers.filter((caller) => !stays(caller)) };
}

/** An epoch begins with every host that takes a conversation. */
const handedOver = async (world: ScalingWorld, callers: readonly Caller[]) =>
  (await sessionsOf(world, callers)).filter(({ epoch }) => epoch > 1).length;

async function sessionsOf({ tenant }: ScalingWorld, callers: readonly Caller[]) {
  const db = openDatabase(tenant.databaseUrl);
  const ids = callers.map(({ session }) => session.sessionId);
  return db
    .query<{ id: string; host_id: string; epoch: number }>(
      sql`select id, host_id, epoch from sessions where id = any (${ids})`,
    )
    .finally(() => db.close());
}

export interface Moment {
  atSeconds: number;
  agents: number;
  /** What our figure was then; null while the API did not answer. */
  wanted: number | null;
}

/** Looks twice a second, and keeps when the number of agents was another than before. */
export function keepTimeline(world: ScalingWorld): { moments: Moment[]; stop(): Promise<void> } {
  const moments: Moment[] = [];
  const began = performance.now();
  const look = async () => {
    const [figure, agents] = await Promise.all([figureOf(world), agentsOf(world)]);
    if (moments.at(-1)?.agents === agents) return;
    const atSeconds = Math.round((performance.now() - began) / 1000);
    moments.push({ atSeconds, agents, wanted: figure?.wanted ?? null });
  };
  const stopping = new AbortController();
  const looking = (async () => {
    while (!stopping.signal.aborted) {
      await look().catch(() => undefined);
      await wait(500, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
    await look();
  })();
  return {
    moments,
    stop: async () => {
      stopping.abort();
      await looking;
    },
  };
}
