import { variablesForAgents } from '../agent-files/definition/agent-variables.ts';
import { loadPolicies } from '../agent-files/policies/load.ts';
import { scenarioVariables } from '../agent-files/scenarios/variables.ts';
import { recordPasses } from '../core/agents/gate.ts';
import { makeVault } from '../core/credentials/vault.ts';
import { makeReceivers } from '../core/deliveries/receivers.ts';
import { watchHostsSpeech } from '../core/hosts/speech.ts';
import { tellRelease } from '../core/insight/tell-release.ts';
import { makeOutages } from '../core/reaping/outages.ts';
import { RoomServerTime } from '../core/rooms/room-server-time.ts';
import { openRooms } from '../core/rooms/rooms.ts';
import { eraseAgain } from '../core/sessions/erase-again.ts';
import { insertTogether } from '../core/sessions/insert-together.ts';
import { openBridge } from '../core/telephony/bridge.ts';
import { openDialler } from '../core/telephony/outbound/dialler.ts';
import { openInternalServer } from '../process/internal-server.ts';
import { Lifecycle, startOrSayWhy } from '../process/lifecycle.ts';
import { makeLogger } from '../process/logger.ts';
import { guardedFetch } from '../process/outbound/guarded-fetch.ts';
import type { Variables } from '../process/variables.ts';
import { takeVariables } from '../settings/take.ts';
import { openDatabase } from '../store/database.ts';
import { DatabaseTime } from '../store/database-time.ts';
import { makeNotifier } from '../store/notify.ts';
import { onceItAnswers } from '../store/once-it-answers.ts';
import type { ActivateDeps } from './agents/activate.ts';
import { watchAgentsFolder } from './agents/folder-source.ts';
import { watchAgentsRepository } from './agents/git-source.ts';
import { ownerOf } from './agents/owner.ts';
import { makeScenarioGate } from './agents/scenario-gate.ts';
import { makeScenarioWarnings } from './agents/scenario-warnings.ts';
import type { AgentsSource, OnRevision } from './agents/source.ts';
import { writableSource } from './agents/writable-source.ts';
import { readConfig, type WorkerConfig } from './config.ts';
import { startJobPool } from './jobs/job-pool.ts';
import { openPoolLocks } from './jobs/pool-locks.ts';
import { callTasks, deliveryTasks, finishTasks, scenarioTasks } from './jobs/tasks.ts';
import { makeMetrics, type WorkerMetrics } from './metrics.ts';
import { signedRequests } from './signed-requests.ts';
import { startWatches } from './watches.ts';

const finishesAtOnce = 10;
/** Until they are dialled: that somebody's telephone rings holds no place. */
const callsAtOnce = 10;
const deliveriesAtOnce = 20;

async function main(config: WorkerConfig, variables: Variables): Promise<void> {
  const log = makeLogger({ service: 'worker', level: config.logLevel });
  const lifecycle = new Lifecycle(log);
  const policies = await loadPolicies(config.policiesFolder);
  const db = openDatabase(config.databaseUrl, { applicationName: 'parley-worker' });
  const metrics = makeMetrics(db);
  lifecycle.closing('close the database', 2_000, () => db.close());
  lifecycle.closing(
    'say no more what release runs',
    1_000,
    tellRelease({ db, log }, { process: 'worker', release: config.release }),
  );
  const clock = new DatabaseTime();
  const roomTime = new RoomServerTime(clock);
  const directUrl = config.databaseDirectUrl ?? config.databaseUrl;
  const locks = openPoolLocks(directUrl);
  lifecycle.closing('let the pools go', 1_000, () => locks.close());
  const forAgents = variablesForAgents(config.agentVariables, variables);
  const scenarioDeps = {
    ...{ db, log, locks, env: scenarioVariables(forAgents, variables), signal: lifecycle.stopping },
    onFailing: (agents: number) => metrics.agentsFailingScenarios.set(agents),
  };
  const core = {
    db,
    log,
    metrics,
    locks,
    rooms: openRooms(config.roomServer, clock),
    bridge: openBridge(config.roomServer),
    dialler: openDialler(config.roomServer),
    insertSession: insertTogether(db),
    hostsSpeech: watchHostsSpeech(db),
    notifier: makeNotifier(db),
    vault: makeVault(config.masterKeys),
    ...{ clock, roomTime },
    outages: makeOutages(),
    env: variables,
    forAgents,
    guardedFetch,
    allowLoopback: config.environment === 'development',
    receivers: makeReceivers(),
    signal: lifecycle.stopping,
    retryScale: config.retryScale,
    policies,
    declaredVariables: config.agentVariables ?? [],
    providerHosts: config.providerHosts ?? [],
    scenarioGate: makeScenarioGate(scenarioDeps, config.scenarioGate),
    scenarioWarnings: makeScenarioWarnings(scenarioDeps, config.scenarioGate),
    commitStatus: config.commitStatus,
    onHeldBack: (agents: number) => metrics.agentsHeldBack.set(agents),
  };
  let source: AgentsSource | undefined;
  const internal = await openInternalServer(
    {
      registry: metrics.registry,
      readiness: () => lifecycle.readiness(),
      other: signedRequests({
        pushEvents: { secret: config.pushSecret, nudge: () => source?.nudge() },
        scenarioPasses: {
          secret: config.passesSecret,
          store: async (passes) => {
            await recordPasses(db, (await ownerOf(db, config.tenant)).tenant, passes);
            log.info(
              { agents: passes.map(({ agent }) => agent).slice(0, 20), passes: passes.length },
              'passes were handed over',
            );
          },
          onStored: () => source?.judgeAgain(),
        },
      }),
    },
    { port: config.internalPort, bind: config.bind },
  );
  lifecycle.closing('close the internal port', 1_000, () => internal.close());
  lifecycle.heed();
  await onceItAnswers(log, () => clock.ask(db));
  const erased = await eraseAgain(core);
  if (erased > 0) log.warn({ erased }, 'conversations that a backup had brought back are erased again');
  const asking = [clock.keepAsking(db), roomTime.keepAsking(config.roomServer.url)];
  lifecycle.closing('stop asking for the time', 100, () => asking.map((stop) => stop()));
  source = await startSource(core, metrics, config, variables);
  const asked = {
    ...scenarioDeps,
    settings: config.scenarioGate,
    tenant: async () => (await ownerOf(db, config.tenant)).tenant,
  };
  // Three pools, so that no receiver, no model and no telephone that rings holds the others' jobs up.
  const pools = [
    { name: 'finish', concurrency: finishesAtOnce, tasks: finishTasks(core) },
    { name: 'call', concurrency: callsAtOnce, tasks: callTasks(core) },
    {
      name: 'deliver',
      concurrency: deliveriesAtOnce,
      tasks: {
        ...deliveryTasks({ ...core, writable: writableSource(core, config, { variables, source: () => source }) }),
        ...scenarioTasks({ ...core, asked }),
      },
    },
  ].map((pool) => startJobPool({ log, locks }, { ...pool, directUrl }));
  lifecycle.closing('finish the jobs under way', 4_000, () => Promise.all(pools.map((pool) => pool.stop())));
  const watches = startWatches(core);
  const lookers = [source, ...watches];
  lifecycle.closing('stop looking', 3_000, () => Promise.all(lookers.map((looker) => looker?.stop())));
  lifecycle.serve();
  log.info({ internalPort: config.internalPort, environment: config.environment }, 'the worker is up');
}

async function startSource(
  deps: ActivateDeps,
  metrics: WorkerMetrics,
  { agentsFolder, agentsGit, tenant, environment }: WorkerConfig,
  env: Variables,
): Promise<AgentsSource | undefined> {
  const onRevision: OnRevision = (outcome, agents) => {
    metrics.revisions.inc({ outcome });
    if (outcome === 'overtaken') return;
    metrics.revisionRefused.set(outcome === 'refused' ? 1 : 0);
    metrics.agents.set(agents);
  };
  const common = { tenant, environment, onRevision };
  if (agentsFolder) return watchAgentsFolder(deps, { ...common, directory: agentsFolder });
  if (!agentsGit) return undefined;
  const onLook = (readable: boolean) => metrics.sourceUnreadable.set(readable ? 0 : 1);
  const onKnown = (state: 'active' | 'refused') => metrics.revisionRefused.set(state === 'refused' ? 1 : 0);
  return watchAgentsRepository(deps, { ...common, ...agentsGit, env, onLook, onKnown });
}

await startOrSayWhy(() => {
  const variables = takeVariables(process.env);
  return main(readConfig(variables), variables);
});
