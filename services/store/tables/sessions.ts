import type { SpeechNeeds } from '../../agent-files/definition/speech-needs.ts';
import type { EndReason } from '../../contract/end-reasons.ts';
import type { Channel, InteractionMode, Outcome, Sentiment, SessionStatus } from '../../contract/session.ts';
import { first, one, prepared, type Queryable, sql } from '../sql.ts';

export interface SessionRow {
  id: string;
  tenant_id: string;
  agent: string;
  version_hash: string;
  room_name: string;
  participant_identity: string;
  status: SessionStatus;
  end_reason: EndReason | null;
  interaction_mode: InteractionMode;
  language: string;
  voice_id: string | null;
  prompt_override: string | null;
  channel: Channel;
  opened_by: 'session' | 'token' | 'room';
  /** Whose budget it counts against; null: nobody's. */
  visitor: Buffer | null;
  created_at: Date;
  started_at: Date | null;
  ended_at: Date | null;
  duration_seconds: number | null;
  billed_seconds: number | null;
  last_activity_at: Date;
  deadline_at: Date;
  host_id: string | null;
  epoch: number;
  agent_ready_at: Date | null;
  /** Until when it waits for its first host, its caller having been answered. */
  agent_due_at: Date | null;
  unattended_since: Date | null;
  /** When a cap of its agent or tenant was reached while it ran. */
  limit_reached_at: Date | null;
  last_sequence: number;
  turns: number;
  tokens: number;
  summary: string | null;
  outcome: Outcome | null;
  sentiment: Sentiment | null;
  finished_at: Date | null;
  delete_after: Date | null;
  /** Null until it is finished. */
  tool_failed: boolean | null;
  /** Somebody tries the agent: it is neither billed nor counted. */
  test: boolean;
  /** The webhook of a test was asked for. */
  test_webhook: boolean;
}

export interface CreateResult {
  result:
    | 'warm'
    | 'cold'
    | 'replayed'
    | 'session_ended'
    | 'idempotency_key_in_progress'
    | 'idempotency_key_reused'
    | 'signature_used'
    | 'unjoined_limit'
    | 'visitor_limit'
    | 'concurrency_limit'
    | 'voice_unavailable'
    | 'no_capacity';
  session_id: string;
  room_name: string;
  identity: string;
  host_id: string | null;
  voice_id: string | null;
}

/** A request as functions/open_sessions.sql reads it; one row for each of its sessions, in their order. */
export const openSessions = (q: Queryable, request: object): Promise<CreateResult[]> =>
  q.query(prepared('open-sessions')`select * from open_sessions(${JSON.stringify(request)})`);

/** A request as functions/open_session.sql reads it, which may be a repetition. */
export const openRepeatable = (q: Queryable, request: object) =>
  one<CreateResult>(q, prepared('open-session')`select * from open_session(${JSON.stringify(request)})`);

/** Until when the session, which found no agent, may wait for a host; null where it may not. */
export const awaitHost = async (
  q: Queryable,
  wait: { tenant: string; session: string; seconds: number; most: number },
) =>
  (
    await one<{ due: Date | null }>(
      q,
      sql`select await_host(${wait.tenant}, ${wait.session}, ${wait.seconds}, ${wait.most}) as due`,
    )
  ).due;

export const findSession = (q: Queryable, id: string) =>
  first<SessionRow>(q, sql`select * from sessions where id = ${id}`);

export const findSessionByRoom = (q: Queryable, room: string) =>
  first<SessionRow>(q, sql`select * from sessions where room_name = ${room}`);

/** The row, locked until the transaction ends: for every move of its state. */
export const lockSession = (q: Queryable, id: string) =>
  first<SessionRow>(q, sql`select * from sessions where id = ${id} for update`);

/** As `lockSession`; undefined too while somebody else has it locked. */
export const lockSessionUnlessBusy = (q: Queryable, id: string) =>
  first<SessionRow>(q, sql`select * from sessions where id = ${id} for update skip locked`);

export const locateSession = async (q: Queryable, id: string) =>
  (await one<{ tenant_id: string | null }>(q, sql`select locate_session(${id}) as tenant_id`)).tenant_id ?? undefined;

export const locateRoom = (q: Queryable, room: string) =>
  first<{ session_id: string; tenant_id: string }>(q, sql`select * from locate_room(${room})`);

export const locateDue = (q: Queryable, limit: number) =>
  q.query<{ session_id: string; tenant_id: string }>(sql`select * from locate_due(${limit})`);

export interface OverCap {
  session_id: string;
  tenant_id: string;
  /** Not told yet. */
  is_new: boolean;
}

/** Running sessions of any tenant for which a cap is used up. */
export const locateOverCaps = (q: Queryable, limit: number) =>
  q.query<OverCap>(sql`select * from locate_over_caps(${limit})`);

/** So long the host of a session whose cap was reached has to tell its person; then the reaper ends it. */
export const farewellSeconds = 20;

/** Since when the person is to be told; undefined when it is marked already, does not run, or somebody is at it. */
export const markLimitReached = async (q: Queryable, id: string) =>
  (
    await first<{ limit_reached_at: Date }>(
      q,
      sql`
    update sessions set limit_reached_at = clock_timestamp(),
      deadline_at = least(deadline_at, clock_timestamp() + ${farewellSeconds} * interval '1 second')
    where id in (select id from sessions
      where id = ${id} and status = 'running' and limit_reached_at is null for update skip locked) returning limit_reached_at`,
    )
  )?.limit_reached_at;

export interface LiveRoom {
  session_id: string;
  tenant_id: string;
  room_name: string;
  status: SessionStatus;
  /** Persons and agents whose presence has no end yet. */
  persons: number;
  agents: number;
  /** The latest proof of any of them, and the latest of whom it is oldest. */
  last_seen_at: Date | null;
  least_seen_at: Date | null;
}

export const locateLiveRooms = (q: Queryable) => q.query<LiveRoom>(sql`select * from live_rooms()`);

export const locateStrayRooms = async (q: Queryable, rooms: readonly string[]) =>
  (await q.query<{ room: string }>(sql`select locate_stray_rooms(${rooms}) as room`)).map((row) => row.room);

export const locateDeletable = (q: Queryable, limit: number) =>
  q.query<{ session_id: string; tenant_id: string }>(sql`select * from locate_deletable(${limit})`);

export const deleteSession = (q: Queryable, id: string) =>
  q.query(sql`delete from sessions where id = ${id} and status = 'ended'`);

/** Idempotency keys after their 24 hours, signatures after their 10 minutes, deliveries that outlived their session once they are settled. */
export const forgetExpired = (q: Queryable) => q.query(sql`select forget_expired()`);

export const markRunning = (q: Queryable, { id, at }: { id: string; at: Date }) =>
  q.query(sql`
    update sessions set status = 'running', started_at = ${at}, last_activity_at = greatest(last_activity_at, ${at})
    where id = ${id} and status = 'created'`);

/** Evidence that came late can only move the first join to an earlier time. */
export const moveStart = (q: Queryable, { id, at }: { id: string; at: Date }) =>
  q.query(sql`update sessions set started_at = ${at} where id = ${id} and status = 'running' and started_at > ${at}`);

export const setDeadline = (q: Queryable, { id, at }: { id: string; at: Date }) =>
  q.query(sql`update sessions set deadline_at = ${at} where id = ${id} and status <> 'ended'`);

/** Without an agent by then it ends as `agent_unavailable`. */
export const expectAgent = (q: Queryable, { id, withinMs }: { id: string; withinMs: number }) =>
  q.query(sql`
    update sessions set agent_due_at = created_at + ${withinMs} * interval '1 millisecond',
      deadline_at = least(deadline_at, created_at + ${withinMs} * interval '1 millisecond')
    where id = ${id} and status = 'created' and agent_ready_at is null and agent_due_at is null`);

/** Unless somebody has it locked. */
export const postpone = (q: Queryable, { id, ms }: { id: string; ms: number }) =>
  q.query(sql`
    update sessions set deadline_at = clock_timestamp() + ${ms} * interval '1 millisecond'
    where id = (select id from sessions where id = ${id} and status <> 'ended' for update skip locked)`);

export interface Ending {
  id: string;
  reason: EndReason;
  at: Date;
  startedAt: Date | null;
  durationSeconds: number;
  billedSeconds: number;
}

export const markEnded = (q: Queryable, e: Ending) =>
  first<SessionRow>(
    q,
    sql`
    update sessions set status = 'ended', end_reason = ${e.reason}, ended_at = ${e.at}, started_at = ${e.startedAt},
      duration_seconds = ${e.durationSeconds}, billed_seconds = ${e.billedSeconds},
      delete_after = ${e.at}::timestamptz + (delete_after - created_at)
    where id = ${e.id} and status <> 'ended' returning *`,
  );

/** Whether a request with this Idempotency-Key has made a session that a repetition is given (open_session): for 24 hours. */
export const isRequestKnown = async (q: Queryable, scopeHash: Buffer): Promise<boolean> =>
  (await first(
    q,
    sql`
    select 1 from idempotency_keys where scope_hash = ${scopeHash} and created_at >= clock_timestamp() - interval '24 hours'`,
  )) !== undefined;

/** The request of a session that was refused in the end may come again, just as it was. */
export const forgetIdempotency = (q: Queryable, session: string) =>
  q.query(sql`
    with forgotten as (delete from idempotency_keys where session_id = ${session} returning signature)
    delete from used_signatures u using forgotten f where u.signature = f.signature`);

/** The agent is in the room. Answers the session's state; undefined when it ended or another host has taken over. */
export const markAgentReady = async (q: Queryable, { session, epoch }: { session: string; epoch: number }) =>
  (
    await first<{ status: SessionStatus }>(
      q,
      sql`
    update sessions set agent_ready_at = coalesce(agent_ready_at, clock_timestamp()), unattended_since = null
    where id = ${session} and epoch = ${epoch} and status <> 'ended' returning status`,
    )
  )?.status;

export const markUnattended = (q: Queryable, { session, epoch }: { session: string; epoch: number }) =>
  q.query(sql`
    update sessions set unattended_since = coalesce(unattended_since, clock_timestamp()),
      deadline_at = least(deadline_at, clock_timestamp() + interval '60 seconds')
    where id = ${session} and epoch = ${epoch} and status <> 'ended'`);

/** With its last interval the agent has gone, as of that interval's end, unless the session has been without one for longer. */
export const markDeserted = (q: Queryable, id: string) =>
  q.query(sql`
    update sessions set unattended_since = agents.last_left
    from (select max(left_at) as last_left from presence where session_id = ${id} and role = 'agent'
      having count(*) > 0 and bool_and(left_at is not null)) agents
    where id = ${id} and status <> 'ended' and agent_ready_at is not null and unattended_since is null`);

/** The agent of the session's host is in the room; that it hears, its host says itself. */
export const markAttended = (q: Queryable, id: string) =>
  q.query(sql`
    update sessions set unattended_since = null
    where id = ${id} and status <> 'ended' and host_id is not null and agent_ready_at is not null
      and exists (select 1 from presence where session_id = ${id} and role = 'agent' and left_at is null)`);

export const setLanguage = (
  q: Queryable,
  { session, epoch, language, needs }: { session: string; epoch: number; language: string; needs: SpeechNeeds },
) =>
  q.query(sql`
    update sessions set language = ${language}, speech_needs = case when interaction_mode = 'VOICE' then ${JSON.stringify(needs)}::jsonb end
    where id = ${session} and epoch = ${epoch}`);

/**
 * A place among the spoken sessions of its host, for a written session or one that nobody joined within 60 s: it is spoken from now on.
 * False where its host cannot speak it, or has no room for one more: then it is a written one.
 */
export const takeSpokenPlace = async (
  q: Queryable,
  { tenant, session, epoch, needs }: { tenant: string; session: string; epoch: number; needs: SpeechNeeds },
) =>
  (
    await one<{ taken: boolean }>(
      q,
      sql`select take_spoken_place(${tenant}, ${session}, ${epoch}, ${JSON.stringify(needs)}) as taken`,
    )
  ).taken;

export const detachHost = (q: Queryable, { session, epoch }: { session: string; epoch: number }) =>
  q.query(sql`update sessions set host_id = null where id = ${session} and epoch = ${epoch}`);

export const markFinished = (
  q: Queryable,
  { id, summary, outcome, sentiment }: { id: string; summary: string | null; outcome: Outcome; sentiment: Sentiment },
) =>
  first<SessionRow>(
    q,
    sql`
    update sessions set summary = ${summary}, outcome = ${outcome}, sentiment = ${sentiment}, finished_at = clock_timestamp(),
      tool_failed = exists (select from tool_calls where session_id = ${id} and tool_calls.status in ('failed', 'unknown'))
    where id = ${id} and status = 'ended' and finished_at is null returning *`,
  );

export const listLiveSessions = (q: Queryable, limit: number) =>
  q.query<SessionRow>(sql`select * from sessions where status <> 'ended' order by created_at desc limit ${limit}`);
