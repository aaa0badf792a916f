import { deleteDueSessions, retentionBatch } from '../../../services/core/retention/retention.ts';
import type { Database } from '../../../services/store/database.ts';
import { openDatabase } from '../../../services/store/database.ts';
import { one, sql } from '../../../services/store/sql.ts';
import { upsertTenant } from '../../../services/store/tables/tenants.ts';
import { startOwnDatabase } from '../../support/databases/story-database.ts';
import { compiledAgent, publish } from '../../support/world/compiled-agent.ts';
import { masterKeys } from '../../support/world/master-keys.ts';
import { limitMemory, memoryCanBeLimited } from '../memory-limit.ts';
import type { Measured, Row, RowOptions } from '../row.ts';
import { figureOf } from '../statistics.ts';

interface Sizes {
  sessions: number;
  /** Of PostgreSQL with what the system keeps of its files; undefined: no limit. */
  memoryMb: number | undefined;
  looks: number;
}

const full: Sizes = { sessions: 60_000, memoryMb: 160, looks: 10 };
const small: Sizes = { sessions: 2_000, memoryMb: undefined, looks: 1 };
const messagesEach = 20;
const sharedBuffers = '32MB';
const fillTimeoutMs = 600_000;
const sessionsAtOnce = 2_000;

/** What the worker's deletes cost where the rows are on disk only. */
export const retention: Row = {
  name: 'retention',
  title: 'Deleting what is old from tables larger than memory',
  against: 'the same rows, in the order in which they were written and in any order',
  limitMinutes: 20,
  missing: async () =>
    (await memoryCanBeLimited()) ? undefined : 'this system does not let us limit the memory of a process',
  run: (options) => measure(options.smoke ? small : full, options),
};

async function measure(sizes: Sizes, { say }: RowOptions): Promise<Measured> {
  await using database = await startOwnDatabase({
    settings: { 'parley.check_keys': 'off', shared_buffers: sharedBuffers, autovacuum: 'off' },
  });
  const admin = openDatabase(database.adminUrl, { queryTimeoutMs: fillTimeoutMs });
  const db = openDatabase(database.serviceUrl);
  // Before there is anything: what the system keeps of a file belongs to whoever read it first.
  await using _limit = sizes.memoryMb ? await limitMemory(await serverOf(admin), sizes.memoryMb) : undefined;
  try {
    await fill(admin, database.serviceUrl, sizes, say);
    const { mb } = await one<{ mb: number }>(
      admin,
      sql`select round(pg_database_size(current_database()) / 1048576.0)::integer as mb`,
    );
    const written = await looks({ admin, db }, sizes, 'written');
    say(`in their order: ${written.map(({ ms }) => ms.toFixed(2)).join(', ')} ms each`);
    const any = await looks({ admin, db }, sizes, 'any');
    say(`in any order: ${any.map(({ ms }) => ms.toFixed(2)).join(', ')} ms each`);
    const of = (name: string, all: readonly Look[]) => [
      figureOf(
        { name: `a session deleted, ${name}`, unit: 'ms' },
        all.map(({ ms }) => ms),
      ),
      figureOf(
        { name: `pages read for it from outside of shared buffers, ${name}`, unit: 'pages' },
        all.map(({ pages }) => pages),
      ),
    ];
    return {
      figures: [...of('in the order in which they were written', written), ...of('in any order', any)],
      notes: [
        `${sizes.sessions} ended sessions with ${messagesEach} messages each, ${mb} MB, by PostgreSQL that has ${sizes.memoryMb ?? 'no limit of'} MB of memory together with what the system keeps of its files (${sharedBuffers} of shared buffers). A round is a look of the worker: ${retentionBatch} sessions, by the clock.`,
        'The messages of a conversation lie together, as in no installation with many at once: in any order a conversation is read from its own pages, and its neighbours from others.',
      ],
    };
  } finally {
    await Promise.all([admin.close(), db.close()]);
  }
}

/** The server's first process. */
async function serverOf(admin: Database): Promise<number> {
  const { file } = await one<{ file: string }>(admin, sql`select pg_read_file('postmaster.pid') as file`);
  return Number(file.split('\n')[0]);
}

async function fill(
  admin: Database,
  serviceUrl: string,
  { sessions }: Sizes,
  say: (line: string) => void,
): Promise<void> {
  const { id: tenant } = await upsertTenant(admin, { slug: 'old', name: 'Old', features: {} });
  await publish({ serviceUrl, masterKeys, tenant }, [compiledAgent()]);
  for (let from = 1; from <= sessions; from += sessionsAtOnce) {
    const to = Math.min(from + sessionsAtOnce - 1, sessions);
    await admin.query(sql`
      with made as (
        insert into sessions (id, tenant_id, agent, version_hash, room_name, participant_identity, status, end_reason, interaction_mode, language,
          channel, opened_by, created_at, started_at, ended_at, deadline_at, finished_at)
        select 's_' || lpad(n::text, 22, '0'), ${tenant}, 'desk', version_hash, 'r_' || n, 'person', 'ended', 'client_ended', 'TEXT', 'en', 'api',
          'session', at, at, at, at, at
        from generate_series(${from}::integer, ${to}::integer) n, agents, lateral (select clock_timestamp() as at) t
        returning id)
      insert into messages (tenant_id, session_id, sequence, role, source, content, at, turn, message_key)
      select ${tenant}, id, n, case when n % 2 = 0 then 'ASSISTANT' else 'USER' end, 'host', repeat(md5(id || n), 4), clock_timestamp(), n, md5(id || n)
      from made, generate_series(1, ${messagesEach}::integer) n`);
  }
  await admin.query({ text: 'vacuum analyze', values: [] });
  say(`${sessions} sessions`);
}

interface Look {
  /** For a session. */
  ms: number;
  pages: number;
}

async function looks(
  { admin, db }: { admin: Database; db: Database },
  { looks: count }: Sizes,
  order: 'written' | 'any',
): Promise<Look[]> {
  const all: Look[] = [];
  while (all.length < count) {
    await admin.query(sql`
      update sessions set delete_after = clock_timestamp() - interval '1 hour' where id in (
        select id from sessions where status = 'ended' and delete_after is null
        order by case when ${order} = 'any' then md5(id) else id end limit ${retentionBatch})`);
    const before = await pagesRead(admin);
    const began = performance.now();
    const deleted = await deleteDueSessions({ db });
    const ms = performance.now() - began;
    if (deleted !== retentionBatch) throw new Error(`${deleted} sessions were deleted`);
    all.push({ ms: ms / deleted, pages: ((await pagesRead(admin)) - before) / deleted });
  }
  return all;
}

/** Each connection tells its own when it has nothing else to do. */
async function pagesRead(admin: Database): Promise<number> {
  await admin.query(sql`select pg_sleep(1.2)`);
  const { read } = await one<{ read: number }>(
    admin,
    sql`select blks_read::float8 as read from pg_stat_database where datname = current_database()`,
  );
  return read;
}
