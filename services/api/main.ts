import { makeKeyCache } from '../core/credentials/key-cache.ts';
import { makeVault } from '../core/credentials/vault.ts';
import { makeReadiness } from '../core/hosts/readiness.ts';
import { watchHostsSpeech } from '../core/hosts/speech.ts';
import { openRooms } from '../core/rooms/rooms.ts';
import { insertTogether } from '../core/sessions/insert-together.ts';
import { systemClock } from '../process/clock.ts';
import { makeLogger } from '../process/logger.ts';
import { onStopSignal } from '../process/stop-signal.ts';
import { openDatabase } from '../store/database.ts';
import { makeNotifier } from '../store/notify.ts';
import { makeApp } from './app.ts';
import { readConfig } from './config.ts';
import { makeHealthCheck } from './health.ts';
import { makeInternalApp } from './internal/app.ts';
import type { Lifecycle } from './internal/probes.ts';
import { ownCounters, sharedCounters } from './limits/counters.ts';
import { agentRateLimit } from './limits/rate-limit.ts';
import { listenForChanges } from './listen.ts';
import { makeMetrics } from './metrics.ts';
import { openServer } from './server.ts';
import { tryPage } from './try/page.ts';

/** Balancers need a moment to see that /readyz says no; on a laptop there is none. */
const lingerMs = { development: 0, production: 3_000 };
const requestDeadlineMs = 8_000;
/** A caller of the API is told to come back rather than kept waiting. */
const queryTimeoutMs = 4_000;

try {
  await main();
} catch (error) {
  // What can't start says why in words; a stack would only hide them.
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
}

async function main(): Promise<void> {
  const config = readConfig(process.env);
  const log = makeLogger({ service: 'api', level: config.logLevel });
  const db = openDatabase(config.databaseUrl, { applicationName: 'parley-api', queryTimeoutMs });
  const rooms = openRooms(config.roomServer);
  const vault = makeVault(config.masterKeys);
  const notifier = makeNotifier(db);
  const keyCache = makeKeyCache(db);
  const readiness = makeReadiness(db);
  const hostsSpeech = watchHostsSpeech(db);
  const metrics = makeMetrics(db);
  const lifecycle: Lifecycle = { state: 'starting' };
  const insertSession = insertTogether(db);
  const { coldStart } = config;
  const core = {
    ...{ db, insertSession, rooms, vault, notifier, keyCache, readiness, hostsSpeech, coldStart },
    ...{ metrics, log, clock: systemClock },
  };
  const counters = config.redisUrl
    ? sharedCounters({
        ...{ redisUrl: config.redisUrl, log },
        onAlone: (alone) => metrics.countingAlone.set(alone ? 1 : 0),
        onCountedAlone: () => metrics.countedAlone.inc(),
      })
    : ownCounters();

  const app = makeApp({
    ...core,
    rateLimit: agentRateLimit(counters),
    health: makeHealthCheck({ db, rooms }),
    trustProxyHops: config.trustProxyHops,
    ...(config.environment === 'development'
      ? { tryPage: tryPage({ ...core, tenant: config.tenant, publicUrl: rooms.publicUrl }) }
      : {}),
  });
  const internal = await openServer(makeInternalApp({ ...core, lifecycle, roomServer: config.roomServer }), {
    port: config.internalPort,
    bind: config.bind,
  });
  const listener = listenForChanges(config.databaseUrl, { keyCache, readiness });
  const server = await openServer(app, {
    port: config.port,
    bind: config.bind,
    onDropped: () => metrics.droppedConnections.inc(),
  });
  lifecycle.state = 'serving';
  log.info({ port: server.port, internalPort: internal.port, environment: config.environment }, 'serving');

  onStopSignal(log, [
    [
      'finish the requests',
      requestDeadlineMs + lingerMs[config.environment] + 1_000,
      () => {
        lifecycle.state = 'stopping';
        return server.stop({ lingerMs: lingerMs[config.environment], deadlineMs: requestDeadlineMs });
      },
    ],
    ['close the listener', 1_000, () => listener.close()],
    ['close the counters', 1_000, () => counters.close()],
    ['close the database', 2_000, () => db.close()],
    ['close the internal port', 1_000, () => internal.stop({ lingerMs: 0, deadlineMs: 500 })],
  ]);
}
