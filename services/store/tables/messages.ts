import type { InteractionMode, MessageRole, TurnTiming } from '../../contract/session.ts';
import type { Tx } from '../database.ts';
import { first, one, prepared, type Queryable, sql } from '../sql.ts';
import { storable } from '../text.ts';

export interface MessageRow {
  session_id: string;
  sequence: number;
  role: MessageRole;
  source: 'host' | 'client';
  content: string;
  at: Date;
  message_key: string | null;
  /** The sequence of the person's text this belongs to; 0 for what the agent said unasked. */
  turn: number;
  answered_at: Date | null;
  interrupted: boolean;
  mode: InteractionMode;
  timing: TurnTiming | null;
  /**
   * What the agent has begun to say to this text, as long as it is not answered; of a text that is answered, and of a line of the agent's
   * own: what was said, and may not have arrived.
   */
  draft: Draft | null;
}

/** A reply on its way. */
export interface Draft {
  /** Names it in the room (`lk.segment_id`). */
  segment: string;
  /** Said under the same name before it, and stored: a tool was called since. */
  before?: string;
  content: string;
  /** How much of it the person has heard, or was sent, in characters. */
  told: number;
  /** The model has nothing to add. */
  complete: boolean;
}

export interface PersonText {
  tenant: string;
  session: string;
  /** Names the utterance: the same text heard by two hosts is stored once. */
  key: string;
  content: string;
  at: Date;
  mode: InteractionMode;
}

/** Undefined when the session's transcript is closed. */
export const addPersonText = (q: Queryable, t: PersonText) =>
  first<{ sequence: number; is_new: boolean }>(
    q,
    prepared(
      'add-person-text',
    )`select * from add_person_text(${t.tenant}, ${t.session}, ${storable(t.key)}, ${storable(t.content)}, ${t.at}, ${t.mode})`,
  );

export interface Reply {
  tenant: string;
  session: string;
  epoch: number;
  turn: number;
  content: string;
  interrupted: boolean;
  /** The person's text is answered: a host that takes over does not answer it again. */
  closesTurn: boolean;
  tokens: number;
  at: Date;
  mode: InteractionMode;
  /** Names the reply, so that a write whose answer was lost can be repeated. */
  key: string;
  timing?: TurnTiming | undefined;
}

/** The reply's sequence; null when the epoch is stale or the transcript is closed. */
export const addReply = async (q: Queryable, r: Reply) =>
  (
    await one<{ sequence: number | null }>(
      q,
      prepared('write-reply')`select write_reply(${JSON.stringify({
        tenant: r.tenant,
        session: r.session,
        epoch: r.epoch,
        turn: r.turn,
        content: storable(r.content),
        interrupted: r.interrupted,
        closes_turn: r.closesTurn,
        tokens: r.tokens,
        at: r.at,
        mode: r.mode,
        key: r.key,
        timing: r.timing,
      })}) as sequence`,
    )
  ).sequence;

/** For a host that takes over; null: there is nothing to go on from. Does nothing once the turn is closed, or another host has the session. */
export const keepDraft = (
  q: Queryable,
  { tenant, session, epoch }: { tenant: string; session: string; epoch: number },
  turn: number,
  draft: Draft | null,
) =>
  q.query(
    prepared('keep-draft')`select keep_draft(${tenant}, ${session}, ${epoch}, ${turn}, ${
      draft && JSON.stringify(storableDraft(draft))
    })`,
  );

/** Where a line of the agent stands: behind the person's text that it answers, or under a key of its own. */
export type Position = { turn: number; key?: undefined } | { key: string; turn?: undefined };

/**
 * For a host that takes over: what was said and stored there, and may not have arrived; null: it has. Does nothing when another host has
 * the session.
 */
export const keepDoubt = (
  tx: Tx,
  { session, epoch }: { session: string; epoch: number },
  position: Position,
  draft: Draft | null,
) =>
  tx.query(sql`
    update messages m set draft = ${draft && JSON.stringify(storableDraft(draft))}::jsonb from sessions s
    where s.id = ${session} and s.epoch = ${epoch} and s.status <> 'ended' and m.session_id = s.id
      and (m.role = 'USER' and m.sequence = ${position.turn ?? null} and m.answered_at is not null
        or m.role = 'ASSISTANT' and m.message_key = ${position.key ?? null})`);

const storableDraft = ({ before, ...draft }: Draft): Draft => ({
  ...draft,
  content: storable(draft.content),
  ...(before && { before: storable(before) }),
});

export const listMessages = (q: Queryable, session: string) =>
  q.query<MessageRow>(sql`select * from messages where session_id = ${session} order by sequence`);

/** Replies on their way, by the person's line that each answers. */
export const listOpenDrafts = (q: Queryable, session: string) =>
  q.query<{ sequence: number; draft: Draft }>(sql`
    select sequence, draft from messages
    where session_id = ${session} and role = 'USER' and draft is not null and answered_at is null order by sequence`);

/** Lines of several sessions, each session's in order. */
export const listMessagesOf = (q: Queryable, sessions: readonly string[]) =>
  q.query<MessageRow>(sql`select * from messages where session_id = any (${sessions}) order by session_id, sequence`);

/** Lines behind the one with the sequence `after`, in order. */
export const listMessagesAfter = (q: Queryable, session: string, { after, limit }: { after: number; limit: number }) =>
  q.query<MessageRow>(sql`
    select * from messages where session_id = ${session} and sequence > ${after} order by sequence limit ${limit}`);

/** What the host must know: client lines are never given to the model. */
export const listHostMessages = (q: Queryable, session: string) =>
  q.query<MessageRow>(sql`select * from messages where session_id = ${session} and source = 'host' order by sequence`);

/** A line that the client rendered by itself. Undefined when it has the same `messageId` as a line that is there. */
export const addClientLine = (
  q: Queryable,
  line: { tenant: string; session: string; sequence: number; role: MessageRole; content: string; key: string | null },
) =>
  first<{ sequence: number }>(
    q,
    sql`
    insert into messages (tenant_id, session_id, sequence, role, source, content, at, message_key, turn, answered_at)
    values (${line.tenant}, ${line.session}, ${line.sequence}, ${line.role}, 'client', ${storable(line.content)}, clock_timestamp(), ${line.key}, 0, clock_timestamp())
    on conflict (session_id, message_key) do nothing returning sequence`,
  );

export const findMessageByKey = (q: Queryable, session: string, key: string) =>
  first<MessageRow>(q, sql`select * from messages where session_id = ${session} and message_key = ${key}`);

export const countClientLines = async (q: Queryable, session: string) =>
  (
    await one<{ lines: number }>(
      q,
      sql`select count(*)::integer as lines from messages where session_id = ${session} and source = 'client'`,
    )
  ).lines;

export const nextSequence = async (q: Queryable, session: string) =>
  (
    await one<{ next: number }>(
      q,
      sql`update sessions set last_sequence = last_sequence + 1 where id = ${session} returning last_sequence as next`,
    )
  ).next;
