import type { Database } from '../../services/store/database.ts';
import { sql } from '../../services/store/sql.ts';
import type { LineStored, SessionStored } from './evidence.ts';
import type { History } from './history.ts';

/** What PostgreSQL holds, and held in between: it writes down whom the product took for dead or gone, and when. */
export interface Witness {
  hostsWithRooms(): Promise<number>;
  /** Of these sessions, those in which nobody is known to be. */
  withoutPerson(sessions: readonly string[]): Promise<string[]>;
  /** Of these sessions, those that go on. */
  live(sessions: readonly string[]): Promise<string[]>;
  sessions(ids: readonly string[], history: History): Promise<SessionStored[]>;
  lines(sessions: readonly string[], history: History): Promise<LineStored[]>;
  departures(sessions: readonly string[], history: History): Promise<{ session: string; atMs: number; by: string }[]>;
  /** Hosts whose row was deleted, since the history began. */
  deaths(history: History): Promise<{ host: string; atMs: number }[]>;
  /** Of the whole world: what the ledger counts, and the sum over its sessions. */
  minutes(): Promise<{ ledgerSeconds: number; billedSeconds: number }>;
}

/** Made with the owner's rights, in a schema of the test's own. */
const notes = `
  create schema nemesis;
  create table nemesis.deaths (host uuid, at timestamptz default clock_timestamp());
  create table nemesis.departures (session text, by text, at timestamptz default clock_timestamp());
  create function nemesis.note_death() returns trigger language plpgsql security definer as $$
    begin insert into nemesis.deaths values (old.id); return null; end $$;
  create function nemesis.note_departure() returns trigger language plpgsql security definer as $$
    begin insert into nemesis.departures values (new.session_id, new.left_by); return null; end $$;
  create trigger nemesis_death after delete on hosts for each row execute function nemesis.note_death();
  create trigger nemesis_departure after update on presence for each row
    when (new.role = 'person' and old.left_at is null and new.left_at is not null) execute function nemesis.note_departure();`;

/** @param admin the database as its owner, wherever it is */
export async function openWitness(admin: Database): Promise<Witness> {
  for (const statement of notes.split(/;\n(?=\s*create)/)) await admin.query({ text: statement, values: [] });
  const msOf = (history: History, at: Date) => at.getTime() - history.beganAt.getTime();
  return {
    hostsWithRooms: async () => {
      const [row] = await admin.query<{ hosts: number }>(
        sql`select count(distinct host_id)::integer as hosts from warm_rooms`,
      );
      return row?.hosts ?? 0;
    },
    withoutPerson: async (sessions) => {
      const rows = await admin.query<{ id: string }>(sql`
        select id from sessions s where id = any (${sessions}) and not exists
          (select from presence p where p.session_id = s.id and p.role = 'person' and p.left_at is null)`);
      return rows.map(({ id }) => id);
    },
    live: async (sessions) => {
      const rows = await admin.query<{ id: string }>(
        sql`select id from sessions where id = any (${sessions}) and status <> 'ended'`,
      );
      return rows.map(({ id }) => id);
    },
    sessions: async (ids, history) => {
      const rows = await admin.query<StoredRow>(sql`
        select id, status, end_reason, coalesce(billed_seconds, 0) as billed,
          (select min(e.recorded_at) from session_events e where e.session_id = s.id and e.kind = 'ended') as written_at
        from sessions s where id = any (${ids})`);
      return rows.map(({ id, status, end_reason, billed, written_at }) => ({
        ...{ id, status, endReason: end_reason, billedSeconds: billed },
        endWrittenMs: written_at ? msOf(history, written_at) : undefined,
      }));
    },
    lines: async (sessions, history) => {
      const rows = await admin.query<Omit<LineStored, 'atMs'> & { at: Date }>(sql`
        select session_id as session, sequence, role, content, turn, answered_at is not null as "isAnswered", at
        from messages where session_id = any (${sessions}) order by session_id, sequence`);
      return rows.map(({ at, ...line }) => ({ ...line, atMs: msOf(history, at) }));
    },
    departures: async (sessions, history) => {
      const rows = await admin.query<{ session: string; by: string; at: Date }>(
        sql`select session, by, at from nemesis.departures where session = any (${sessions}) order by at`,
      );
      return rows.map(({ session, by, at }) => ({ session, by, atMs: msOf(history, at) }));
    },
    deaths: async (history) => {
      const rows = await admin.query<{ host: string; at: Date }>(
        sql`select host, at from nemesis.deaths where at >= ${history.beganAt} order by at`,
      );
      return rows.map(({ host, at }) => ({ host, atMs: msOf(history, at) }));
    },
    minutes: async () => {
      const [row] = await admin.query<{ ledger: number; billed: number }>(sql`
        select (select coalesce(sum(billed_seconds), 0)::integer from agent_usage) as ledger,
          (select coalesce(sum(billed_seconds), 0)::integer from sessions where status = 'ended') as billed`);
      return { ledgerSeconds: row?.ledger ?? -1, billedSeconds: row?.billed ?? 0 };
    },
  };
}

interface StoredRow {
  id: string;
  status: string;
  end_reason: string | null;
  billed: number;
  written_at: Date | null;
}
