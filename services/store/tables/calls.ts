import type { CallDirection, CallState, HungUpBy } from '../../contract/telephony.ts';
import { first, one, type Queryable, sql } from '../sql.ts';

export interface CallRow {
  tenant_id: string;
  id: string;
  /** Null until there is one. */
  session_id: string | null;
  direction: CallDirection;
  trunk_id: string | null;
  /** Ours. */
  number: string;
  agent: string;
  language: string | null;
  /** Sealed for this call: `{tenant, call, side}`. */
  from_sealed: string;
  to_sealed: string;
  /** Keyed hash of the other side's number. */
  other_hash: Buffer;
  state: CallState;
  refused_because: string | null;
  sip_code: number | null;
  sip_call_id: string | null;
  room_name: string;
  asked_at: Date;
  /** When the bridge was asked to dial; it is asked once. */
  dialed_at: Date | null;
  answered_at: Date | null;
  ended_at: Date | null;
  hung_up_by: HungUpBy | null;
  variables: Record<string, string>;
  consent: string | null;
  prefix: string | null;
  max_seconds: number | null;
  delete_after: Date;
}

export type NewCall = Pick<
  CallRow,
  | 'id'
  | 'direction'
  | 'trunk_id'
  | 'number'
  | 'agent'
  | 'language'
  | 'from_sealed'
  | 'to_sealed'
  | 'other_hash'
  | 'state'
  | 'sip_call_id'
  | 'room_name'
  | 'variables'
  | 'consent'
  | 'prefix'
  | 'max_seconds'
> & { retentionMs: number };

export interface LocatedCall {
  call_id: string;
  tenant_id: string;
}

/** Undefined when the call is there already: by its SIP call id, or its room. */
export const insertCall = (q: Queryable, tenant: string, c: NewCall) =>
  first<CallRow>(
    q,
    sql`
    insert into calls (tenant_id, id, direction, trunk_id, number, agent, language, from_sealed, to_sealed, other_hash, state, sip_call_id,
      room_name, variables, consent, prefix, max_seconds, delete_after)
    values (${tenant}, ${c.id}, ${c.direction}, ${c.trunk_id}, ${c.number}, ${c.agent}, ${c.language}, ${c.from_sealed}, ${c.to_sealed},
      ${c.other_hash}, ${c.state}, ${c.sip_call_id}, ${c.room_name}, ${JSON.stringify(c.variables)}, ${c.consent}, ${c.prefix},
      ${c.max_seconds}, clock_timestamp() + ${c.retentionMs} * interval '1 millisecond')
    on conflict do nothing returning *`,
  );

export const findCall = (q: Queryable, id: string) => first<CallRow>(q, sql`select * from calls where id = ${id}`);

/** The row, locked until the transaction ends: for every move of its state. */
export const lockCall = (q: Queryable, id: string) =>
  first<CallRow>(q, sql`select * from calls where id = ${id} for update`);

/** As `lockCall`. Whoever locks a session and its call locks the session first. */
export const lockCallOfSession = (q: Queryable, session: string) =>
  first<CallRow>(q, sql`select * from calls where session_id = ${session} for update`);

/** The person hears and is heard. A call that is over stays so. */
export const markCallAnswered = (q: Queryable, { session, at }: { session: string; at: Date }) =>
  q.query(sql`
    update calls set state = 'answered', answered_at = least(answered_at, ${at})
    where session_id = ${session} and ended_at is null`);

export const findCallOfSession = (q: Queryable, session: string) =>
  first<CallRow>(q, sql`select * from calls where session_id = ${session}`);

export const findCallBySipId = (q: Queryable, sipCallId: string) =>
  first<CallRow>(q, sql`select * from calls where sip_call_id = ${sipCallId}`);

/** The call that has this room, of any tenant. */
export const locateCall = (q: Queryable, room: string) =>
  first<LocatedCall>(q, sql`select * from locate_call(${room})`);

/** Calls of any tenant that are not over, the oldest first. */
export const locateOpenCalls = (q: Queryable, limit: number) =>
  q.query<LocatedCall>(sql`select * from locate_open_calls(${limit})`);

/** What changes of a call; what is left out stays as it is, and what was known stays known. */
export interface CallChange {
  state: CallState;
  sessionId?: string | undefined;
  sipCode?: number | undefined;
  sipCallId?: string | undefined;
  refusedBecause?: string | undefined;
  dialedAt?: Date | undefined;
  answeredAt?: Date | undefined;
  endedAt?: Date | undefined;
  hungUpBy?: HungUpBy | undefined;
}

/** Of a call whose row is locked. */
export const changeCall = (q: Queryable, id: string, c: CallChange) =>
  first<CallRow>(
    q,
    sql`
    update calls set state = ${c.state}, session_id = coalesce(session_id, ${c.sessionId ?? null}),
      sip_code = coalesce(${c.sipCode ?? null}, sip_code), sip_call_id = coalesce(sip_call_id, ${c.sipCallId ?? null}),
      refused_because = coalesce(refused_because, ${c.refusedBecause ?? null}), dialed_at = coalesce(dialed_at, ${c.dialedAt ?? null}),
      answered_at = coalesce(answered_at, ${c.answeredAt ?? null}), ended_at = coalesce(ended_at, ${c.endedAt ?? null}),
      hung_up_by = coalesce(hung_up_by, ${c.hungUpBy ?? null})
    where id = ${id} returning *`,
  );

export interface CallsQuery {
  direction: CallDirection;
  state: CallState | undefined;
  /** Hashes of the other side's number under each master key. */
  hashes: readonly Buffer[] | undefined;
  /** The last of the page before: its `position` and id. */
  before: { position: string; id: string } | undefined;
  limit: number;
}

/** The newest first; `position` is when they were asked for, to the microsecond. */
export const listCalls = (q: Queryable, { direction, state, hashes, before, limit }: CallsQuery) =>
  q.query<CallRow & { position: string }>(sql`
    select *, to_char(asked_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as position from calls
    where direction = ${direction} and (${state ?? null}::text is null or state = ${state ?? null})
      and (${hashes ?? null}::bytea[] is null or other_hash = any (${hashes ?? null}))
      and (${before?.position ?? null}::timestamptz is null or (asked_at, id) < (${before?.position ?? null}::timestamptz, ${before?.id ?? ''}))
    order by asked_at desc, id desc limit ${limit}`);

export interface CallsOfTrunk {
  last_minute: number;
  /** Of this prefix, since midnight UTC. */
  calls_today: number;
  /** The same, begun minutes; what a call may still last is counted for one that is not over. */
  minutes_today: number;
}

/** What counts against a trunk's caps. Its row is locked, so that no two calls are let out on the same count. */
export const countCallsOfTrunk = (q: Queryable, { trunk, prefix }: { trunk: string; prefix: string }) =>
  one<CallsOfTrunk>(
    q,
    sql`
    select count(*) filter (where asked_at > clock_timestamp() - interval '1 minute')::integer as last_minute,
      count(*) filter (where prefix = ${prefix} and asked_at >= date_trunc('day', clock_timestamp(), 'UTC'))::integer as calls_today,
      coalesce(sum(ceil(case when ended_at is null then max_seconds when answered_at is null then 0
        else extract(epoch from ended_at - answered_at) end / 60))
        filter (where prefix = ${prefix} and asked_at >= date_trunc('day', clock_timestamp(), 'UTC')), 0)::integer as minutes_today
    from calls where direction = 'outbound' and trunk_id = ${trunk} and state <> 'refused'
      and asked_at >= least(date_trunc('day', clock_timestamp(), 'UTC'), clock_timestamp() - interval '1 minute')`,
  );
