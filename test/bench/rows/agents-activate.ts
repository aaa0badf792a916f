import { join } from 'node:path';
import { makeVault } from '../../../services/core/credentials/vault.ts';
import { makeLogger } from '../../../services/process/logger.ts';
import { type Database, openDatabase } from '../../../services/store/database.ts';
import { migrate } from '../../../services/store/migrate.ts';
import { makeNotifier } from '../../../services/store/notify.ts';
import { sql } from '../../../services/store/sql.ts';
import { upsertTenant } from '../../../services/store/tables/tenants.ts';
import type { RevisionOutcome } from '../../../services/worker/agents/activate.ts';
import { watchAgentsRepository } from '../../../services/worker/agents/git-source.ts';
import { makeScenarioGate } from '../../../services/worker/agents/scenario-gate.ts';
import type { AgentsSource } from '../../../services/worker/agents/source.ts';
import { openPoolLocks } from '../../../services/worker/jobs/pool-locks.ts';
import { startPostgres } from '../../support/databases/postgres.ts';
import { type GitPerson, GitRemote } from '../../support/stand-ins/git-remote.ts';
import type { Measured, Row, RowOptions } from '../row.ts';
import { figureOf, oneFigure } from '../statistics.ts';
import { agentFile, newAgent, writeManyAgents } from './many-agents.ts';

const sizes = { full: 1_000, smoke: 20 };
/** Pushes of a round: the median of them is the round's figure. */
const pushes = 5;
const hourMs = 3_600_000;

/** All that a worker does when it hears of a push, from its look at the branch to the commit in PostgreSQL. */
export const agentsActivate: Row = {
  name: 'agents-activate',
  title: 'Activating one changed agent among 1 000',
  against: 'a fixed limit',
  limitMinutes: 10,
  run: async (options) => {
    await using postgres = await startPostgres({ fsync: true, settings: { 'parley.check_keys': 'off' } });
    const serviceUrl = `postgres://parley_service:for-benchmarks@127.0.0.1:${postgres.port}/postgres`;
    await migrate({ adminUrl: postgres.adminUrl, serviceUrl });
    const db = openDatabase(serviceUrl);
    const admin = openDatabase(postgres.adminUrl);
    try {
      const { id: tenant } = await upsertTenant(admin, { slug: 'local', name: 'Local', features: {} });
      return await measure({ db, serviceUrl, tenant }, options);
    } finally {
      await Promise.all([db.close(), admin.close()]);
    }
  },
};

interface Store {
  db: Database;
  serviceUrl: string;
  tenant: string;
}

async function measure(store: Store, { pairs, smoke, say }: RowOptions): Promise<Measured> {
  const count = smoke ? sizes.smoke : sizes.full;
  await using remote = await GitRemote.create();
  const author = await remote.person();
  const kb = await writeManyAgents(join(author.folder, 'agents'), count, newAgent);
  await author.commit('All agents');
  await author.push();
  const began = performance.now();
  await using worker = await startWorker(store, remote.url);
  await worker.activated();
  const firstMs = performance.now() - began;
  const rounds: number[][] = [];
  for (let round = 1; round <= pairs; round += 1) {
    const tookMs: number[] = [];
    for (let push = 1; push <= pushes; push += 1)
      tookMs.push(await change(store, { author, worker }, round * pushes + push));
    rounds.push(tookMs);
    say(`${tookMs.map((ms) => ms.toFixed(0)).join(', ')} ms`);
  }
  const target = { text: '≤ 500 ms', atMost: 500 };
  return {
    figures: [
      figureOf({ name: `one of ${count} agents changed`, unit: 'ms', target }, rounds.map(medianOf)),
      oneFigure({ name: `the first activation, of all ${count}`, unit: 's' }, firstMs / 1000),
    ],
    notes: [
      `From the nudge of a push event to the commit in PostgreSQL (with fsync): git asks for the branch's head and fetches it, all ${count} files of ${kb.toFixed(1)} kB are read and judged, and what changed is stored. Pushing is not counted; the agents have no scenarios.`,
      `Each round is the median of ${pushes} pushes, each of which changes one agent.`,
    ],
  };
}

const medianOf = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;

interface Worker extends AsyncDisposable {
  source: AgentsSource;
  /** Resolves with the next activation. */
  activated(): Promise<void>;
}

/** What a worker has of agents, with nothing else of it. */
async function startWorker({ db, serviceUrl }: Store, url: string): Promise<Worker> {
  const stopping = new AbortController();
  const log = makeLogger({ service: 'bench', level: 'fatal' });
  const vault = makeVault(`k1:${Buffer.alloc(32, 9).toString('base64')}`);
  const locks = openPoolLocks(serviceUrl);
  const scenarioGate = makeScenarioGate(
    { db, log, locks, env: process.env, signal: stopping.signal },
    { model: 'scripted', byAgent: false, deadlineMs: 60_000 },
  );
  let told = Promise.withResolvers<void>();
  const onRevision = (outcome: RevisionOutcome) =>
    outcome === 'activated' ? told.resolve() : told.reject(new Error(`the revision was ${outcome}`));
  const source = await watchAgentsRepository(
    { db, vault, log, notifier: makeNotifier(db), scenarioGate },
    {
      ...{ url, branch: 'main', path: 'agents', tokenUser: 'nobody', pollMs: hourMs },
      ...{
        tenant: 'local',
        environment: 'development',
        env: process.env,
        onRevision,
        onLook: () => undefined,
        onKnown: () => undefined,
      },
    },
  );
  return {
    source,
    activated: () =>
      told.promise.finally(() => {
        told = Promise.withResolvers();
      }),
    [Symbol.asyncDispose]: async () => {
      stopping.abort();
      await source.stop();
      await locks.close();
    },
  };
}

/** Milliseconds. */
async function change(
  { db, tenant }: Store,
  { author, worker }: { author: GitPerson; worker: Worker },
  edition: number,
): Promise<number> {
  const number = (edition % sizes.smoke) + 1;
  const commit = await author.merge(`agents/${agentFile(number)}`, newAgent(number, edition));
  const began = performance.now();
  worker.source.nudge();
  await worker.activated();
  const tookMs = performance.now() - began;
  const live = await db.asTenant(tenant, (tx) =>
    tx.query(sql`
      select 1 from agents a join agent_versions v on v.agent = a.agent and v.hash = a.version_hash where v.commit = ${commit}`),
  );
  if (live.length !== 1) throw new Error(`${live.length} agents are live with the commit that changed one`);
  return tookMs;
}
