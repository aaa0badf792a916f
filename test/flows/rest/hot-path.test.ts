import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeApp } from '../../../services/api/app.ts';
import { makeHealthCheck } from '../../../services/api/health.ts';
import { ownCounters } from '../../../services/api/limits/counters.ts';
import { agentRateLimit } from '../../../services/api/limits/rate-limit.ts';
import { refusedKeys } from '../../../services/api/limits/refused-keys.ts';
import { makeMetrics } from '../../../services/api/metrics.ts';
import { type HttpServer, openServer } from '../../../services/api/server.ts';
import { makeKeyCache } from '../../../services/core/credentials/key-cache.ts';
import { makeVault } from '../../../services/core/credentials/vault.ts';
import { makeReadiness } from '../../../services/core/hosts/readiness.ts';
import { watchHostsSpeech } from '../../../services/core/hosts/speech.ts';
import { openRooms, type Rooms } from '../../../services/core/rooms/rooms.ts';
import { insertTogether } from '../../../services/core/sessions/insert-together.ts';
import { systemClock } from '../../../services/process/clock.ts';
import { makeLogger } from '../../../services/process/logger.ts';
import { type Database, openDatabase } from '../../../services/store/database.ts';
import { upsertTenant } from '../../../services/store/tables/tenants.ts';
import { type FakeHost, startFakeHost } from '../../support/databases/fake-host.ts';
import { openStoryDatabase, type StoryDatabase } from '../../support/databases/story-database.ts';
import { ask } from '../../support/people/rest.ts';
import { compiledAgent, publish } from '../../support/world/compiled-agent.ts';
import { masterKeys } from '../../support/world/master-keys.ts';

let database: StoryDatabase;
let db: Database;
let host: FakeHost;
let server: HttpServer;
let key: string;
/** What was asked of the database and the room server. */
const asked: string[] = [];

/** A database whose every use is written down. */
const watched = (real: Database): Database => ({
  ...real,
  query: (query) => {
    asked.push(query.name ?? query.text);
    return real.query(query);
  },
  asTenant: (tenant, work) => {
    asked.push('transaction');
    return real.asTenant(tenant, work);
  },
});

/** Nobody answers at this address: a call to the room server would fail. */
const rooms: Rooms = openRooms({
  url: 'ws://127.0.0.1:9',
  publicUrl: 'wss://rooms.example',
  apiKey: 'key',
  apiSecret: 's'.repeat(32),
});

beforeAll(async () => {
  database = await openStoryDatabase();
  const { adminUrl, serviceUrl } = database;
  const admin = openDatabase(adminUrl);
  const { id: tenant } = await upsertTenant(admin, { slug: 'local', name: 'Local', features: {} });
  await admin.close();
  key = (await publish({ serviceUrl, masterKeys, tenant }, [compiledAgent()])).desk?.apiKey ?? '';
  host = await startFakeHost(serviceUrl, { warmRooms: 10 });
  db = openDatabase(serviceUrl);
  const observed = watched(db);
  const log = makeLogger({ service: 'test', level: 'silent' });
  const app = makeApp({
    db: observed,
    insertSession: insertTogether(observed),
    rooms,
    vault: makeVault(masterKeys),
    notifier: { tell: () => undefined },
    keyCache: makeKeyCache(db),
    readiness: makeReadiness(observed),
    hostsSpeech: watchHostsSpeech(observed),
    coldStart: undefined,
    verifyChallenge: async () => 'not_set_up',
    metrics: makeMetrics(db),
    clock: systemClock,
    rateLimit: agentRateLimit(ownCounters()),
    refusedKeys: refusedKeys(ownCounters(), 180),
    health: makeHealthCheck({ db: observed, rooms }),
    log,
    trustProxyHops: 0,
  });
  server = await openServer(app, { port: 0, bind: '127.0.0.1' });
});

afterAll(async () => {
  await server?.stop({ lingerMs: 0, deadlineMs: 1_000 });
  await db?.close();
  await host?.[Symbol.asyncDispose]();
  await database?.[Symbol.asyncDispose]();
});

test('creating a session costs one round trip to the database and no call to the room server', async () => {
  const answer = await ask(`http://127.0.0.1:${server.port}`, 'POST', '/api/sessions', {
    key,
    body: { language: 'en' },
  });
  expect(answer.status, answer.text).toBe(200);
  expect(answer.body.wsUrl).toBe('wss://rooms.example');
  expect(asked).toEqual(['open-sessions']);
});

test('without the development page nothing is at /try', async () => {
  for (const path of ['/try', '/try/', '/try/api/agents', `/try/api/sessions/s_${'A'.repeat(22)}`]) {
    const answer = await ask(`http://127.0.0.1:${server.port}`, 'GET', path);
    expect([answer.status, answer.body.code]).toEqual([404, 'not_found']);
  }
});
