import { existsSync } from 'node:fs';
import { readPeopleKeys } from '../core/account/people-keys.ts';
import { rightsCache } from '../core/account/rights.ts';
import type { SignInDeps } from '../core/account/sign-in.ts';
import { missingSecretIn, tellMissingSecrets } from '../core/challenges/secrets.ts';
import { challengeVerifier } from '../core/challenges/verify.ts';
import { makeKeyCache } from '../core/credentials/key-cache.ts';
import { makeVault } from '../core/credentials/vault.ts';
import { makeReadiness } from '../core/hosts/readiness.ts';
import { watchHostsSpeech } from '../core/hosts/speech.ts';
import { tellRelease } from '../core/insight/tell-release.ts';
import { openMailer } from '../core/mail/mailer.ts';
import { RoomServerTime } from '../core/rooms/room-server-time.ts';
import { openRooms } from '../core/rooms/rooms.ts';
import { insertTogether } from '../core/sessions/insert-together.ts';
import { bestEffort } from '../process/best-effort.ts';
import { internalListener } from '../process/internal-server.ts';
import { Lifecycle, startOrSayWhy } from '../process/lifecycle.ts';
import { makeLogger } from '../process/logger.ts';
import { guardedFetch } from '../process/outbound/guarded-fetch.ts';
import { takeVariables } from '../settings/take.ts';
import { openDatabase } from '../store/database.ts';
import { DatabaseTime } from '../store/database-time.ts';
import { makeNotifier } from '../store/notify.ts';
import { onceItAnswers } from '../store/once-it-answers.ts';
import { peopleDatabaseUrl } from '../store/people-database.ts';
import type { AuthDeps } from './account-routes/auth.ts';
import { makeApp } from './app.ts';
import { type ApiConfig, readConfig } from './config.ts';
import { dashboardPages } from './dashboard/pages.ts';
import { makeHealthCheck } from './health.ts';
import { departureCookie } from './http/departure-cookie.ts';
import { refreshCookie } from './http/refresh-cookie.ts';
import { makeInternalApp } from './internal/app.ts';
import { bridgeDoor } from './internal/bridge-door.ts';
import { ownCounters, sharedCounters } from './limits/counters.ts';
import { personRateLimit } from './limits/person-limit.ts';
import { agentRateLimit } from './limits/rate-limit.ts';
import { refusedKeys } from './limits/refused-keys.ts';
import { listenForChanges } from './listen.ts';
import { makeMetrics } from './metrics.ts';
import { openServer } from './server.ts';
import { tryPage } from './try/page.ts';

/** Balancers need a moment to see that /readyz says no; on a laptop there is none. */
const lingerMs = { development: 0, production: 3_000 };
const requestDeadlineMs = 8_000;
/** A caller of the API is told to come back rather than kept waiting. */
const queryTimeoutMs = 4_000;
/** Each request of a person asks once in 5 s; signing in is rare (infra/plan/measured.ts counts them). */
const peopleConnections = 4;

await startOrSayWhy(() => main(readConfig(takeVariables(process.env))));

async function main(config: ApiConfig): Promise<void> {
  const log = makeLogger({ service: 'api', level: config.logLevel });
  const lifecycle = new Lifecycle(log);
  const db = openDatabase(config.databaseUrl, { applicationName: 'parley-api', queryTimeoutMs });
  lifecycle.closing('close the database', 2_000, () => db.close());
  lifecycle.closing(
    'say no more what release runs',
    1_000,
    tellRelease({ db, log }, { process: 'api', release: config.release }),
  );
  const clock = new DatabaseTime();
  const roomTime = new RoomServerTime(clock);
  const rooms = openRooms(config.roomServer, clock);
  const vault = makeVault(config.masterKeys);
  const notifier = makeNotifier(db);
  const keyCache = makeKeyCache(db);
  const readiness = makeReadiness(db);
  const hostsSpeech = watchHostsSpeech(db);
  const metrics = makeMetrics(db);
  const insertSession = insertTogether(db);
  const { coldStart } = config;
  const allowLoopback = config.environment === 'development';
  const verifyChallenge = challengeVerifier(config.challenges, { guardedFetch, allowLoopback });
  const missingSecret = missingSecretIn(config.challenges);
  const core = {
    ...{ db, insertSession, rooms, vault, notifier, keyCache, readiness, hostsSpeech, coldStart },
    ...{ metrics, log, clock, roomTime, verifyChallenge, missingSecret },
  };
  const counters = config.redisUrl
    ? sharedCounters({
        ...{ redisUrl: config.redisUrl, log },
        onAlone: (alone) => metrics.countingAlone.set(alone ? 1 : 0),
        onCountedAlone: () => metrics.countedAlone.inc(),
      })
    : ownCounters();
  lifecycle.closing('close the counters', 1_000, () => counters.close());

  const rateLimit = agentRateLimit(counters);
  const refused = refusedKeys(counters, config.refusedKeysPerMinute);
  const people = openPeople(config);
  lifecycle.closing('close the database of persons', 2_000, async () => people?.people.close());
  lifecycle.closing('close the connections for mail', 100, async () => people?.post?.mailer.close());
  const developerLink = config.environment === 'development' && people && (await developerDoor({ ...people, log }));
  const health = makeHealthCheck({ db, rooms });
  const app = makeApp({
    ...core,
    rateLimit,
    refusedKeys: refused,
    ...(people
      ? {
          account: {
            ...core,
            ...people,
            stopping: lifecycle.stopping,
            ownTenant: config.tenant,
            health,
            refusedKeys: refused,
            personRateLimit: personRateLimit(counters),
          },
          dashboard: dashboardPages(rooms),
        }
      : {}),
    health,
    trustProxyHops: config.trustProxyHops,
    ...(developerLink ? { developerLink } : {}),
    ...(config.environment === 'development'
      ? { tryPage: tryPage({ ...core, tenant: config.tenant, publicUrl: rooms.publicUrl }) }
      : {}),
  });
  const internal = await openServer(
    internalListener({
      registry: metrics.registry,
      readiness: () => lifecycle.readiness(),
      other: makeInternalApp({ ...core, roomServer: config.roomServer }),
    }),
    { port: config.internalPort, bind: config.bind, onUpgrade: bridgeDoor({ ...core, roomServer: config.roomServer }) },
  );
  lifecycle.closing('close the internal port', 1_000, () => internal.stop({ lingerMs: 0, deadlineMs: 500 }));
  const listener = listenForChanges(config.databaseDirectUrl ?? config.databaseUrl, { keyCache, readiness });
  lifecycle.closing('close the listener', 1_000, () => listener.close());
  const server = await openServer(app, {
    port: config.port,
    bind: config.bind,
    onDropped: () => metrics.droppedConnections.inc(),
  });
  const stopServer = { lingerMs: lingerMs[config.environment], deadlineMs: requestDeadlineMs };
  lifecycle.closing('finish the requests', stopServer.lingerMs + requestDeadlineMs + 1_000, () =>
    server.stop(stopServer),
  );
  lifecycle.heed();
  await onceItAnswers(log, () => clock.ask(db));
  const asking = [clock.keepAsking(db), roomTime.keepAsking(config.roomServer.url)];
  lifecycle.closing('stop asking for the time', 100, () => asking.map((stop) => stop()));
  lifecycle.serve();
  log.info({ port: server.port, internalPort: internal.port, environment: config.environment }, 'serving');
  void bestEffort('it is said again with each request', tellMissingSecrets(db, missingSecret, log));
}

/** What the account API stands on; undefined where there are no keys for people. */
function openPeople(config: ApiConfig) {
  const { peopleKeys: text, databaseUrl, environment } = config;
  if (text === undefined) return undefined;
  const peopleKeys = readPeopleKeys(text);
  const people = openDatabase(peopleDatabaseUrl(databaseUrl, peopleKeys.databasePassword), {
    ...{ applicationName: 'parley-api-people', maxConnections: peopleConnections, queryTimeoutMs },
  });
  const isSecure = environment === 'production';
  return {
    ...{ people, peopleKeys, rights: rightsCache(people) },
    ...{ cookie: refreshCookie(isSecure), departure: departureCookie(isSecure) },
    openIdConnect: openIdConnectOf(config, { people, peopleKeys }),
    post: postOf(config),
  };
}

function postOf({ mail, publicUrl }: ApiConfig) {
  return mail && publicUrl !== undefined ? { mailer: openMailer(mail), publicUrl } : undefined;
}

function openIdConnectOf({ openIdConnect, publicUrl }: ApiConfig, deps: SignInDeps) {
  if (!openIdConnect || publicUrl === undefined) return undefined;
  const { name, passwords, ...issuer } = openIdConnect;
  return { ...deps, issuer, publicUrl, name, passwords };
}

/** What `npm start` prints is opened here. The image does not have this file. */
async function developerDoor(deps: AuthDeps) {
  if (!existsSync(new URL('developer/link.ts', import.meta.url))) return undefined;
  return (await import('./developer/link.ts')).developerLink(deps);
}
