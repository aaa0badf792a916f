import { newRoomName } from '../../../services/core/sessions/ids.ts';
import { sql } from '../../../services/store/sql.ts';
import { type FakeHost, startFakeHost } from '../../support/databases/fake-host.ts';
import type { commands as leastApi } from '../baselines/least-api.ts';
import type { Load, LoadResult, commands as loadCommands } from '../clients/load.ts';
import { type Remote, startRemote } from '../remote.ts';
import type { Measured, Row, RowOptions, Target } from '../row.ts';
import { figureOf, oneFigure, quantile } from '../statistics.ts';
import { type BenchWorld, type Door, startBenchWorld } from '../world.ts';

const callers = 16;
/**
 * Sides take turns after so many requests, and their sessions are ended then: as many are alive at most as an agent may
 * have by default.
 */
const batch = 500;
const sizes = { full: { warmUp: 3_000, requests: 10_000 }, smoke: { warmUp: batch, requests: batch } };
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
    const ours = await world.startApi({ trustProxyHops: 1 });
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
  await pair(parts, warmUp);
  const rounds: Pair[] = [];
  for (let round = 0; round < pairs; round += 1) {
    const one = await pair(parts, requests);
    rounds.push(one);
    say(`ours ${Math.round(one.ours.perSecond)}/s, baseline ${Math.round(one.least.perSecond)}/s`);
  }
  const of = (read: (round: Pair) => number) => rounds.map(read);
  const p99 = (name: string, read: (round: Pair) => Side, target?: Target) =>
    figureOf(
      { name, unit: 'ms', ...(target ? { target } : {}) },
      of((round) => quantile(read(round).latenciesMs, 0.99)),
    );
  return {
    figures: [
      figureOf(
        { name: 'share of the baseline’s rate', unit: '×', target: { text: '≥ 0.80', atLeast: 0.8 } },
        of(({ ours, least }) => ours.perSecond / least.perSecond),
      ),
      figureOf(
        { name: 'rate, ours', unit: 'requests/s' },
        of(({ ours }) => ours.perSecond),
      ),
      figureOf(
        { name: 'rate, baseline', unit: 'requests/s' },
        of(({ least }) => least.perSecond),
      ),
      p99('p99 with 16 callers that never pause', ({ ours }) => ours, atMost50),
      p99('p99 at half of that rate, fixed', ({ paced }) => paced, atMost50),
      p99('p99 of the baseline, 16 callers that never pause', ({ least }) => least),
      oneFigure({ name: 'rooms at the room server after all of it', unit: 'rooms', target: none }, await rooms(parts)),
    ],
    notes: [
      `${requests} requests a round and side, after ${warmUp} that are not counted; sides take turns every ${batch} requests. PostgreSQL with fsync.`,
      'Both APIs are one process; the callers are another; all of them and PostgreSQL share the cores.',
      `Each session takes a warm room (a row; nobody is in it) and comes from a client address of its own. Sessions are ended after each ${batch}.`,
    ],
  };
}

/** What one side did in a round. */
interface Side {
  perSecond: number;
  latenciesMs: number[];
}

interface Pair {
  least: Side;
  ours: Side;
  /** Ours again, with requests at a fixed rate. */
  paced: Side;
}

async function pair(parts: Parts, requests: number): Promise<Pair> {
  const least: LoadResult[] = [];
  const ours: LoadResult[] = [];
  const paced: LoadResult[] = [];
  for (let done = 0; done < requests; done += batch) {
    least.push(await creations(parts, parts.baseline));
    const own = await creations(parts, parts.ours);
    ours.push(own);
    paced.push(await creations(parts, parts.ours, Math.floor(own.requestsPerSecond * fixedShare)));
  }
  for (const table of ['sessions', 'warm_rooms', 'least_sessions'])
    await parts.world.admin.query({ text: `vacuum (analyze) ${table}`, values: [] });
  return { least: together(least), ours: together(ours), paced: together(paced) };
}

const together = (results: readonly LoadResult[]): Side => ({
  perSecond: results.length / results.reduce((seconds, { requestsPerSecond }) => seconds + 1 / requestsPerSecond, 0),
  latenciesMs: results.flatMap(({ latenciesMs }) => latenciesMs),
});

const atMost50 = { text: '≤ 50 ms', atMost: 50 };
const none = { text: '0: the room server is not called', atMost: 0 };

async function rooms({ world }: Parts): Promise<number> {
  return (await world.listRooms()).length;
}

async function creations(parts: Parts, door: Door, perSecond?: number): Promise<LoadResult> {
  const { client, ours } = parts;
  if (door === ours) await addWarmRooms(parts, batch);
  const load: Load = {
    origin: door.baseUrl,
    path: '/api/sessions',
    headers: { authorization: `Bearer ${door.apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ language: 'en' }),
    callers,
    requests: batch,
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

/** As if everybody had left: what was created in one turn must not weigh on the next. */
async function endAll({ world }: Parts): Promise<void> {
  await world.admin.query(
    sql`update sessions set status = 'ended', end_reason = 'never_joined', ended_at = now() where status <> 'ended'`,
  );
}
