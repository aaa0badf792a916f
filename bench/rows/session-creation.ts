import { newRoomName } from '../../services/core/ids.ts';
import { sql } from '../../services/store/sql.ts';
import { type FakeHost, startFakeHost } from '../../test/support/fake-host.ts';
import type { commands as leastApi } from '../baselines/least-api.ts';
import type { Load, LoadResult, commands as loadCommands } from '../clients/load.ts';
import { type Remote, startRemote } from '../remote.ts';
import type { Measured, Row, RowOptions } from '../row.ts';
import { figureOf, oneFigure, quantile } from '../statistics.ts';
import { type BenchWorld, type Door, startBenchWorld } from '../world.ts';

const callers = 16;
const sizes = { full: { warmUp: 3_000, requests: 10_000 }, smoke: { warmUp: 200, requests: 500 } };
/** Latency is measured with work that comes in at this share of the rate that was just reached. */
const fixedShare = 0.5;

/** `POST /api/sessions` with warm rooms: rows of a host that is alive for the database and that nobody is in. */
export const sessionCreation: Row = {
  name: 'session-creation',
  title: 'Creating a session: `POST /api/sessions`, 16 callers',
  against: 'the least any design needs: Express, key look-up, one INSERT, a token; same PostgreSQL',
  limitMinutes: 10,
  run: async (options) => {
    await using world = await startBenchWorld();
    await using host = await startFakeHost(world.serviceUrl);
    await using client = await startRemote<typeof loadCommands>(new URL('../clients/load.ts', import.meta.url));
    await using least = await startRemote<typeof leastApi>(new URL('../baselines/least-api.ts', import.meta.url));
    const ours = await world.startApi({ PARLEY_TRUST_PROXY_HOPS: '1' });
    const baseline = await startLeast(world, least);
    return await measure({ world, host, client, ours, baseline }, options);
  },
};

interface Parts {
  world: BenchWorld;
  host: FakeHost;
  client: Remote<typeof loadCommands>;
  ours: Door;
  baseline: Door;
}

async function startLeast(world: BenchWorld, least: Remote<typeof leastApi>): Promise<Door> {
  const { apiKey, apiSecret, url } = world.rooms;
  const { port } = await least.call('listen', {
    databaseUrl: world.adminUrl,
    apiKey: world.apiKey,
    roomKey: apiKey,
    roomSecret: apiSecret,
    roomUrl: url,
  });
  return { baseUrl: `http://127.0.0.1:${port}`, apiKey: world.apiKey };
}

async function measure(parts: Parts, { pairs, smoke, say }: RowOptions): Promise<Measured> {
  const { warmUp, requests } = smoke ? sizes.smoke : sizes.full;
  const { ours, baseline } = parts;
  await creations(parts, baseline, warmUp);
  await creations(parts, ours, warmUp);
  const rates = { ours: [] as number[], baseline: [] as number[] };
  const p99 = { busy: [] as number[], fixed: [] as number[], baseline: [] as number[] };
  for (let pair = 0; pair < pairs; pair += 1) {
    const least = await creations(parts, baseline, requests);
    const own = await creations(parts, ours, requests);
    const perSecond = Math.floor(own.requestsPerSecond * fixedShare);
    const paced = await creations(parts, ours, Math.ceil(requests / 2), perSecond);
    rates.baseline.push(least.requestsPerSecond);
    rates.ours.push(own.requestsPerSecond);
    p99.busy.push(quantile(own.latenciesMs, 0.99));
    p99.baseline.push(quantile(least.latenciesMs, 0.99));
    p99.fixed.push(quantile(paced.latenciesMs, 0.99));
    say(`ours ${Math.round(own.requestsPerSecond)}/s, baseline ${Math.round(least.requestsPerSecond)}/s`);
  }
  const atMost50 = { text: '≤ 50 ms', atMost: 50 };
  return {
    figures: [
      figureOf(
        { name: 'share of the baseline’s rate', unit: '×', target: { text: '≥ 0.80', atLeast: 0.8 } },
        rates.ours.map((rate, index) => rate / (rates.baseline[index] ?? Number.NaN)),
      ),
      figureOf({ name: 'rate, ours', unit: 'requests/s' }, rates.ours),
      figureOf({ name: 'rate, baseline', unit: 'requests/s' }, rates.baseline),
      figureOf({ name: 'p99 with 16 callers that never pause', unit: 'ms', target: atMost50 }, p99.busy),
      figureOf({ name: 'p99 at half of that rate, fixed', unit: 'ms', target: atMost50 }, p99.fixed),
      figureOf({ name: 'p99 of the baseline, 16 callers', unit: 'ms' }, p99.baseline),
      oneFigure({ name: 'rooms at the room server after all of it', unit: 'rooms', target: none }, await rooms(parts)),
    ],
    notes: [
      `${requests} requests a round and side, after ${warmUp} that are not counted; PostgreSQL with fsync.`,
      'Both APIs are one process; the callers are another; all of them and PostgreSQL share the cores.',
      'Each session takes a warm room (a row; nobody is in it) and comes from a client address of its own. Sessions of a round are ended before the next.',
    ],
  };
}

const none = { text: '0: the room server is not called', atMost: 0 };

async function rooms({ world }: Parts): Promise<number> {
  return (await world.listRooms()).length;
}

async function creations(parts: Parts, door: Door, requests: number, perSecond?: number): Promise<LoadResult> {
  const { client, ours } = parts;
  if (door === ours) await addWarmRooms(parts, requests);
  const load: Load = {
    origin: door.baseUrl,
    path: '/api/sessions',
    headers: { authorization: `Bearer ${door.apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ language: 'en' }),
    callers,
    requests,
    ...(perSecond ? { perSecond } : {}),
  };
  const result = await client.call('load', load);
  if (result.failed.length > 0) throw new Error(`requests failed: ${JSON.stringify(result.failed)}`);
  await endAll(parts);
  return result;
}

async function addWarmRooms({ world, host }: Parts, count: number): Promise<void> {
  const names = Array.from({ length: count }, newRoomName);
  await world.admin.query(
    sql`insert into warm_rooms (room_name, host_id) select name, ${host.id} from unnest(${names}::text[]) as n (name)`,
  );
}

/** As if everybody had left: what was created in one round must not weigh on the next. */
async function endAll({ world }: Parts): Promise<void> {
  await world.admin.query(
    sql`update sessions set status = 'ended', end_reason = 'never_joined', ended_at = now() where status <> 'ended'`,
  );
  await world.admin.query(sql`vacuum (analyze) sessions, warm_rooms`);
  await world.admin.query(sql`vacuum (analyze) least_sessions`);
}
