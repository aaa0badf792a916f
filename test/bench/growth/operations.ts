/** What is measured: each is done as the product does it, by the product's own functions wherever it has one. */

import pLimit from 'p-limit';
import { insertSessions } from '../../../services/core/channels/new-session.ts';
import { makeKeyCache } from '../../../services/core/credentials/key-cache.ts';
import { reportJoined, reportLeft, type Sighting } from '../../../services/core/presence/presence.ts';
import { tellOfReachedCaps } from '../../../services/core/reaping/caps.ts';
import { makeOutages } from '../../../services/core/reaping/outages.ts';
import { reapDueSessions } from '../../../services/core/reaping/reap.ts';
import { Reconciler } from '../../../services/core/reaping/reconcile.ts';
import { deleteDueSessions, retentionBatch } from '../../../services/core/retention/retention.ts';
import type { ListedRoom } from '../../../services/core/rooms/rooms.ts';
import { endSession } from '../../../services/core/sessions/end.ts';
import { channels } from '../../../services/store/notify.ts';
import { sql } from '../../../services/store/sql.ts';
import { watchOthers } from '../../../services/store/tables/hosts.ts';
import { takeLead } from '../../../services/store/tables/leads.ts';
import { newSession } from '../../support/databases/migrated-database.ts';
import type { Installation } from './installation.ts';

export interface Operation {
  /** What the figures are told of: one session, one second, … */
  unit: string;
  /** Before it is measured. */
  prepare?(installation: Installation): Promise<unknown>;
  /** Returns how many units were done. */
  run(installation: Installation): Promise<number>;
  /** What the rate is called, where that is what the row is about. */
  rate?: string;
}

const workers = 2;
/** services/worker/watches.ts. */
const workersWatchHostsPerSecond = 2;
const reconcileEverySeconds = 3;
const capsEverySeconds = 5;
const idleSeconds = 30;
const atOnce = 16;
const messagesOfSession = 20;

/** In this order: later ones end what earlier ones need. */
export const operations: readonly Operation[] = [
  {
    unit: 'idle second: the looks of all hosts, and of the workers at them',
    run: async ({ hosts, db }) => {
      for (const host of hosts) await host.idleSecond(hosts.length - 1);
      for (let look = 0; look < workers * workersWatchHostsPerSecond; look += 1)
        await watchOthers(db, hosts[0] ?? { lockKey: 0 });
      return 1;
    },
  },
  {
    unit: 'idle second: the reconciler of 2 workers',
    run: async (installation) => {
      const clock = { ms: Date.now() };
      const reconcilers = Array.from({ length: workers }, (_, nth) => reconciler(installation, clock, nth));
      for (const one of reconcilers) await one.look();
      for (let second = 0; second < idleSeconds; second += reconcileEverySeconds) {
        clock.ms += reconcileEverySeconds * 1_000;
        for (const one of reconcilers) await one.look();
      }
      return idleSeconds + reconcileEverySeconds;
    },
  },
  {
    unit: 'idle second: 2 workers look for caps that are reached',
    run: async ({ db, notifier }) => {
      for (let look = 0; look < workers; look += 1) await tellOfReachedCaps({ db, notifier });
      return capsEverySeconds;
    },
  },
  {
    unit: 'look-up of a key (two a second for each key and API process)',
    run: async ({ db, apiKey, sizes }) => {
      const cache = makeKeyCache(db);
      for (let time = 0; time < sizes.operations; time += 1) {
        await cache.find(apiKey);
        cache.clear();
      }
      return sizes.operations;
    },
  },
  { unit: 'written session created', run: (installation) => create(installation, 'TEXT', 1) },
  { unit: 'spoken session created', run: (installation) => create(installation, 'VOICE', 1) },
  {
    unit: 'spoken session created, 16 at once',
    run: (installation) => create(installation, 'VOICE', atOnce),
    rate: 'spoken creations, 16 at once',
  },
  {
    unit: 'notice of a created session, at all hosts',
    run: async ({ hosts, sizes }) => {
      const notices = hosts.slice(0, sizes.operations / 10);
      for (const { id } of notices) for (const host of hosts) await host.heard(channels.work, id);
      return notices.length;
    },
  },
  { unit: 'join of a person', run: (installation) => report(installation, reportJoined) },
  { unit: 'leave of a person', run: (installation) => report(installation, reportLeft) },
  { unit: 'session ended', run: (installation) => end(installation, 0, 1) },
  {
    unit: 'session of one agent ended, 16 at once',
    run: (installation) => end(installation, installation.sizes.operations, atOnce),
    rate: 'endings of one agent, 16 at once',
  },
  {
    unit: 'session ended by the reaper',
    prepare: ({ admin, sizes }) =>
      admin.query(
        sql`update sessions set deadline_at = clock_timestamp(), started_at = started_at - interval '1 day' where id = any (${dueSessions(sizes.operations)})`,
      ),
    run: async (installation) => {
      const { db, notifier } = installation;
      const outages = { note: () => undefined, calmInMs: () => 0 };
      const onFault = (_: string, error: unknown) => {
        throw error;
      };
      // A restart of PostgreSQL is followed by a calm: these are ended by time, not by absence.
      return (await reapDueSessions({ db, notifier, rooms, outages, onFault })).length;
    },
    rate: 'sessions that one look of the reaper ends, in a second of that look',
  },
  {
    unit: 'session deleted with its 20 messages',
    prepare: ({ admin, tenant }) =>
      admin.query(sql`
        with due as (
          update sessions set delete_after = clock_timestamp(), finished_at = clock_timestamp()
          where id in (select id from sessions where status = 'ended' order by id limit ${retentionBatch}) returning id
        )
        insert into messages (tenant_id, session_id, sequence, role, source, content, at, turn)
        select ${tenant}, id, n, 'USER', 'host', repeat('words ', 20), clock_timestamp(), n
        from due, generate_series(1, ${messagesOfSession}::integer) n`),
    run: ({ db }) => deleteDueSessions({ db }),
  },
];

const rooms = { close: async () => undefined };

async function create({ db, tenant, version, sizes }: Installation, mode: 'TEXT' | 'VOICE', callers: number) {
  const limit = pLimit(callers);
  const asked = Array.from({ length: sizes.operations / 2 }, () =>
    limit(() => insertSessions(db, [newSession({ tenant, version }, { mode, warm: true, concurrentCap: 100_000 })])),
  );
  const made = (await Promise.all(asked)).flat();
  const cold = made.filter(({ result }) => result !== 'warm');
  // A host that another creation is at has its rooms given away a moment later.
  if (cold.some(({ result }) => result !== 'cold') || cold.length > made.length / 4)
    throw new Error(`sessions found no room: ${JSON.stringify(cold[0])}`);
  return made.length;
}

/** Of everybody as a second person, so that the first one's presence stays as it is. */
async function report({ db, notifier, sizes }: Installation, tell: typeof reportJoined | typeof reportLeft) {
  for (const nth of Array(sizes.operations).keys()) {
    const person: Sighting = {
      ...{ room: `room-${nth}`, sid: `second-${nth}`, identity: 'second', role: 'person', source: 'room_event' },
      at: new Date(),
    };
    await tell({ db, notifier }, person);
  }
  return sizes.operations;
}

async function end({ db, notifier, tenant, sizes }: Installation, from: number, callers: number) {
  const limit = pLimit(callers);
  const sessions = Array.from({ length: sizes.operations }, (_, nth) => `live-${from + nth}`);
  await Promise.all(
    sessions.map((session) =>
      limit(() =>
        endSession({ db, notifier, rooms }, { tenant, session, source: 'api', reason: 'client_ended', at: undefined }),
      ),
    ),
  );
  return sessions.length;
}

/** Five for each operation, behind those that were ended before. */
const dueSessions = (count: number) => Array.from({ length: 5 * count }, (_, nth) => `live-${2 * count + nth}`);

/** A worker's, whose room server lists what is believed. */
function reconciler({ db, hosts, notifier, sizes }: Installation, clock: { ms: number }, nth: number): Reconciler {
  const createdAt = new Date(clock.ms);
  const listed: ListedRoom[] = Array.from({ length: sizes.sessions }, (_, nth) => ({
    ...{ name: `room-${nth}`, persons: 1, createdAt, metadata: '' },
  }));
  const differs = () => {
    throw new Error('what is believed and what is listed differ');
  };
  return new Reconciler({
    ...{ db, notifier, outages: makeOutages() },
    // A host's lock stands for a worker's.
    leads: () => takeLead(db, { work: 'rooms', lockKey: hosts[nth]?.lockKey ?? 0 }),
    rooms: { ...rooms, list: async (names) => (names ? [] : listed), participants: differs },
    clock: { now: () => new Date(clock.ms) },
    roomTime: { ours: (ms) => ms },
    onCorrection: differs,
    onFault: differs,
  });
}
