import { systemClock } from '../core/clock.ts';
import { makeVault } from '../core/credentials/vault.ts';
import { hashPrefix } from '../core/ids.ts';
import { makeLogger } from '../core/logger.ts';
import { makeOutages } from '../core/reaping/outages.ts';
import { reapDueSessions } from '../core/reaping/reap.ts';
import { Reconciler } from '../core/reaping/reconcile.ts';
import { openRooms } from '../core/rooms/rooms.ts';
import { onStopSignal, type StopStep } from '../core/stop-signal.ts';
import { openDatabase } from '../store/database.ts';
import { makeNotifier } from '../store/notify.ts';
import { watchAgentsFolder } from './agents/folder-source.ts';
import { readConfig, type WorkerConfig } from './config.ts';
import { type Lifecycle, openInternalServer } from './internal-server.ts';
import { startLoop } from './loop.ts';
import { makeMetrics } from './metrics.ts';

const reapEveryMs = 1_000;
const reconcileEveryMs = 3_000;

async function main(config: WorkerConfig): Promise<void> {
  const log = makeLogger({ service: 'worker', level: config.logLevel });
  const db = openDatabase(config.databaseUrl, { applicationName: 'parley-worker' });
  const rooms = openRooms(config.roomServer);
  const notifier = makeNotifier(db);
  const vault = makeVault(config.masterKeys);
  const metrics = makeMetrics(db);
  const outages = makeOutages();
  const lifecycle: Lifecycle = { state: 'starting' };
  const core = { db, rooms, notifier, vault, clock: systemClock, outages, log };

  const internal = await openInternalServer(
    { lifecycle, registry: metrics.registry },
    { port: config.internalPort, bind: config.bind },
  );
  const source = config.agentsFolder
    ? watchAgentsFolder(core, {
        directory: config.agentsFolder,
        tenant: config.tenant,
        environment: config.environment,
        onRevision: (outcome, agents) => {
          metrics.revisionRefused.set(outcome === 'refused' ? 1 : 0);
          metrics.agents.set(agents);
        },
      })
    : undefined;
  const reaper = startLoop(
    reapEveryMs,
    async () => {
      const onFault = (session: string, err: unknown) =>
        log.error({ err, session: hashPrefix(session) }, 'a session that is due could not be judged');
      for (const reason of await reapDueSessions({ ...core, onFault })) metrics.sessionsEnded.inc({ reason });
    },
    (err) => {
      outages.note();
      log.warn({ err }, 'the reaper could not look');
    },
  );
  const reconciler = new Reconciler({ ...core, onCorrection: (result) => metrics.reconciled.inc({ result }) });
  const reconciling = startLoop(
    reconcileEveryMs,
    () => reconciler.look(),
    (err) => log.warn({ err }, 'rooms could not be compared'),
  );
  lifecycle.state = 'serving';
  log.info({ internalPort: config.internalPort, environment: config.environment }, 'the worker is up');

  const steps: StopStep[] = [
    [
      'stop the loops',
      5_000,
      () => {
        lifecycle.state = 'stopping';
        return Promise.all([source?.stop(), reaper.stop(), reconciling.stop()]);
      },
    ],
    ['close the database', 2_000, () => db.close()],
    ['close the internal port', 1_000, () => void internal.close()],
  ];
  onStopSignal(log, steps);
}

try {
  await main(readConfig(process.env));
} catch (error) {
  // What can't start says why in words; a stack would only hide them.
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
}
