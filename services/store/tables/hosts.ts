import type { Ability, SpeechNeeds } from '../../agent-files/definition/speech-needs.ts';
import { first, one, prepared, type Queryable, sql } from '../sql.ts';

export interface HostRow {
  id: string;
  lock_key: number;
  heartbeat: number;
  draining: boolean;
}

export interface Lease {
  session_id: string;
  tenant_id: string;
  epoch: number;
}

export interface NewHost {
  id: string;
  lockKey: number;
  capacity: number;
  voiceCapacity: number;
  /** Undefined: nothing is told, and anything may be asked of it. */
  abilities?: readonly Ability[] | undefined;
}

export async function insertHost(q: Queryable, host: NewHost): Promise<void> {
  const { id, lockKey, capacity, voiceCapacity, abilities = null } = host;
  await rememberKind(q, host);
  await q.query(sql`insert into hosts (id, lock_key, capacity, voice_capacity, abilities)
    values (${id}, ${lockKey}, ${capacity}, ${voiceCapacity}, ${abilities}::text[]) on conflict do nothing`);
}

/** What a host can do has changed while it runs: models of speech have come. */
export async function changeAbilities(
  q: Queryable,
  host: Pick<NewHost, 'id' | 'voiceCapacity' | 'abilities'>,
): Promise<void> {
  await rememberKind(q, host);
  await q.query(sql`update hosts set abilities = ${host.abilities ?? null}::text[] where id = ${host.id}`);
}

/**
 * Lowers a host's spoken places to those that are taken, and to one at least: none would say that it cannot speak at all. Gives how many
 * it has now; undefined when the host is gone, or takes none anyway.
 */
export const closeVoicePlaces = async (q: Queryable, id: string): Promise<number | undefined> =>
  (
    await first<{ places: number }>(
      q,
      sql`update hosts set voice_capacity = greatest(1, least(voice_capacity, voice_capacity - voice_room(id, null)))
        where id = ${id} and voice_capacity > 0 returning voice_capacity as places`,
    )
  )?.places;

/** One spoken place more than before, up to `most`. */
export const openVoicePlace = async (q: Queryable, id: string, most: number): Promise<number | undefined> =>
  (
    await first<{ places: number }>(
      q,
      sql`update hosts set voice_capacity = least(${most}::integer, voice_capacity + 1) where id = ${id} returning voice_capacity as places`,
    )
  )?.places;

async function rememberKind(
  q: Queryable,
  { voiceCapacity, abilities }: Pick<NewHost, 'voiceCapacity' | 'abilities'>,
): Promise<void> {
  await q.query(sql`insert into host_kinds (kind, takes_spoken, abilities)
    select md5(concat_ws(' ', spoken, coalesce(able::text, 'anything'))), spoken, able
    from (values (${voiceCapacity}::integer > 0, ${abilities ?? null}::text[])) v (spoken, able)
    on conflict (kind) do update set seen_at = clock_timestamp()`);
}

/** The database's time; undefined when somebody declared this host dead and removed it. */
export const beat = async (q: Queryable, id: string) =>
  (
    await first<{ beat_at: Date }>(
      q,
      prepared(
        'beat',
      )`update hosts set heartbeat = heartbeat + 1, beat_at = clock_timestamp() where id = ${id} returning beat_at`,
    )
  )?.beat_at;

export interface OtherHost extends HostRow {
  /** Nobody holds the advisory lock that the host holds for its life. */
  lock_free: boolean;
}

/** Who looks: a host by its `id`, or somebody else; `lockKey` is of the lock that it holds for its own life. */
export interface Looker {
  id?: string | undefined;
  lockKey: number;
}

export interface Look {
  others: OtherHost[];
  /** Without its own lock the looker is not where the others hold theirs. */
  ownLockHeld: boolean;
  /** Since the server was started or promoted. */
  settledMs: number;
}

/**
 * The other hosts, or all for somebody who is none. Who creates a session tries the locks in shared mode for a moment (open_sessions): that
 * is no sign of life.
 */
export async function watchOthers(q: Queryable, { id, lockKey }: Looker): Promise<Look> {
  const [look] = await q.query<{ others: OtherHost[]; own_lock_held: boolean; settled_ms: number }>(prepared(
    'watch-others',
  )`with held as materialized (
      select (l.classid::bigint << 32) | l.objid::bigint as key from pg_locks l
      where l.locktype = 'advisory' and l.granted and l.objsubid = 1 and l.mode = 'ExclusiveLock'
        and l.database = (select oid from pg_database where datname = current_database())
    ), others as (
      select id, lock_key, heartbeat, draining, lock_key not in (select key from held) as lock_free
      from hosts where id is distinct from ${id ?? null}::uuid
    )
    select (select coalesce(jsonb_agg(o), '[]') from others o) as others,
      exists (select from held where key = ${lockKey}::bigint) as own_lock_held, settled_ms()`);
  return {
    others: look?.others ?? [],
    ownLockHeld: look?.own_lock_held ?? false,
    settledMs: look?.settled_ms ?? 0,
  };
}

export const setDraining = (q: Queryable, id: string) =>
  q.query(sql`update hosts set draining = true where id = ${id}`);

/**
 * Whether this host may leave: others are there and have room for what it has, or it is `alone` and has nothing. From then on it takes
 * nothing more.
 */
export const retireHost = async (q: Queryable, id: string, { alone }: { alone: boolean }) =>
  (await one<{ may_leave: boolean }>(q, sql`select retire_host(${id}, ${alone}) as may_leave`)).may_leave;

/**
 * Takes the lock of a host's life. Waits for whoever tries it at this moment, so that no living host is ever without it; a connection that
 * still holds it is an earlier one of the same host, which the server has not seen break, and is ended.
 */
export async function lockHost(q: Queryable, lockKey: number): Promise<void> {
  await endHolders(q, lockKey);
  await q.query(sql`select pg_advisory_lock(${lockKey})`);
}

/** Ends every other connection that holds this lock for itself alone. */
export const endHolders = (q: Queryable, lockKey: number) =>
  q.query(sql`
    select pg_terminate_backend(l.pid) from pg_locks l
    where l.locktype = 'advisory' and l.granted and l.objsubid = 1 and l.mode = 'ExclusiveLock' and l.pid <> pg_backend_pid()
      and l.database = (select oid from pg_database where datname = current_database())
      and ((l.classid::bigint << 32) | l.objid::bigint) = ${lockKey}::bigint`);

/**
 * Sessions of a dead host wait for another, and its agents count as gone since its last beat; its warm rooms are forgotten. Returns how
 * many sessions.
 */
export const releaseHost = async (q: Queryable, id: string) =>
  (await one<{ released: number }>(q, sql`select release_host(${id}) as released`)).released;

export const claimSessions = (
  q: Queryable,
  host: string,
  { fresh, total, hasWarmRooms }: { fresh: number; total: number; hasWarmRooms: boolean },
) =>
  q.query<Lease>(
    prepared('claim-sessions')`select * from claim_sessions(${host}, ${fresh}, ${total}, ${hasWarmRooms})`,
  );

/** Whether a look for work would find any: sessions `assigned` to this host that it has not started, and `unclaimed` ones. */
export const hostWork = (q: Queryable, host: string) =>
  one<{ assigned: boolean; unclaimed: boolean }>(q, prepared('host-work')`select * from host_work(${host})`);

/** Gives this host's warm rooms to sessions whose callers wait for one. */
export const assignWarmRooms = (q: Queryable, host: string) =>
  q.query<Lease & { room_name: string }>(prepared('assign-warm-rooms')`select * from assign_warm_rooms(${host})`);

export const acknowledgeAssigned = (q: Queryable, host: string) =>
  q.query<Lease & { room_name: string }>(prepared('acknowledge-assigned')`select * from acknowledge_assigned(${host})`);

export const locateOwned = (q: Queryable, host: string) =>
  q.query<Lease & { last_sequence: number }>(sql`select * from locate_owned(${host})`);

/** Gives one session away: whoever claims it next gets a new epoch. False when it is not ours any more. */
export const releaseSession = async (q: Queryable, { session, epoch }: { session: string; epoch: number }) =>
  (
    await q.query(sql`
    update sessions set host_id = null, host_acked = false, unattended_since = coalesce(unattended_since, clock_timestamp()),
      deadline_at = least(deadline_at, clock_timestamp() + interval '60 seconds')
    where id = ${session} and epoch = ${epoch} returning 1`)
  ).length > 0;

export const insertWarmRoom = (q: Queryable, room: string, host: string) =>
  q.query(sql`insert into warm_rooms (room_name, host_id) values (${room}, ${host})`);

export const listWarmRooms = (q: Queryable, host: string) =>
  q.query<{ room_name: string }>(sql`select room_name from warm_rooms where host_id = ${host}`);

/** False when it was taken meanwhile. */
export const deleteWarmRoom = async (q: Queryable, room: string) =>
  (await q.query(sql`delete from warm_rooms where room_name = ${room} returning 1`)).length > 0;

/** What hosts of a kind can do for spoken sessions; `abilities` is null for one that does not tell. */
export interface HostSpeech {
  takes_spoken: boolean;
  abilities: Ability[] | null;
  /** Whether a host of this kind is there that takes new sessions. */
  is_there: boolean;
}

/**
 * The kinds of hosts that are there, that were within the hour, or that were there last: what an installation is set up to do changes
 * when a host with other keys starts, and not when one goes. A fleet is usually of one kind.
 */
export const listHostSpeech = (q: Queryable) =>
  q.query<HostSpeech>(
    prepared('list-host-speech')`
    select takes_spoken, abilities, bool_or(is_there) as is_there from (
      select voice_capacity > 0 as takes_spoken, abilities, not draining as is_there from hosts
      union all
      select takes_spoken, abilities, false from host_kinds
      where seen_at >= least((select max(seen_at) from host_kinds), clock_timestamp() - interval '1 hour')
    ) k group by takes_spoken, abilities`,
  );

/** Hosts that take spoken sessions, whether or not they have room for one more; `abilities` is null for one that does not tell. */
export const listSpeakers = (q: Queryable) =>
  q.query<{ id: string; abilities: Ability[] | null }>(
    sql`select id, abilities from hosts where not draining and voice_capacity > 0`,
  );

/** Whether a host that is there has room for one more such session; true while none is there, since one may come. */
export const hasVoiceRoom = async (q: Queryable, needs: SpeechNeeds) =>
  (
    await one<{ has_room: boolean }>(
      q,
      sql`
    select coalesce(bool_or(voice_room(id, ${JSON.stringify(needs)}) > 0), true) as has_room
    from hosts where not draining and voice_capacity > 0`,
    )
  ).has_room;

/** Hosts that are there have been seen now. What was not seen for a month, and was not the last, comes no more. */
export const keepHostKinds = (q: Queryable) =>
  q.query(sql`
    with there as (
      select kind from host_kinds k
      where exists (select from hosts h where (h.voice_capacity > 0) = k.takes_spoken and h.abilities is not distinct from k.abilities)
    ), seen as (
      update host_kinds set seen_at = clock_timestamp() where kind in (select kind from there)
    )
    delete from host_kinds
    where kind not in (select kind from there)
      and seen_at < clock_timestamp() - interval '30 days' and seen_at < (select max(seen_at) from host_kinds)`);

/** What autoscaling looks at: sessions that are live, warm rooms and the capacity of hosts that take work. */
export const hostTotals = (q: Queryable) =>
  first<{ hosts: number; capacity: number; warm: number }>(
    q,
    sql`select count(*)::integer as hosts, coalesce(sum(capacity), 0)::integer as capacity,
      (select count(*)::integer from warm_rooms) as warm from hosts where not draining`,
  );
