import { randomUUID } from 'node:crypto';
import type { EndReason } from '../../../services/contract/end-reasons.ts';
import type { ToolOutcome } from '../../../services/contract/session.ts';
import { insertSession } from '../../../services/core/channels/new-session.ts';
import { reportJoined } from '../../../services/core/presence/presence.ts';
import { endSession } from '../../../services/core/sessions/end.ts';
import { newRoomName, newSessionId, newUuid } from '../../../services/core/sessions/ids.ts';
import type { Database } from '../../../services/store/database.ts';
import { findAgent } from '../../../services/store/tables/agents.ts';
import { addPersonText, addReply } from '../../../services/store/tables/messages.ts';
import { lockSession } from '../../../services/store/tables/sessions.ts';
import { finishToolCall, startToolCall } from '../../../services/store/tables/tool-calls.ts';

export interface StoredSession {
  id: string;
  room: string;
}

interface Where {
  /** As the services see the database. */
  db: Database;
  tenant: string;
}

const silent = { tell: () => undefined };

/** A session as the API creates it, without a host or a warm room. */
export async function storeSession({ db, tenant }: Where, agent = 'echo'): Promise<StoredSession> {
  const row = await db.asTenant(tenant, (tx) => findAgent(tx, agent));
  if (!row) throw new Error(`no agent ${agent}`);
  const { limits, retentionMs, defaultLanguage } = row.definition;
  const session = { id: newSessionId(), room: newRoomName() };
  await insertSession(db, {
    ...{ tenant, agent, version: row.version_hash, id: session.id, roomName: session.room, identity: 'person' },
    ...{
      mode: 'TEXT',
      language: defaultLanguage,
      speechNeeds: null,
      voiceId: null,
      promptOverride: null,
      channel: 'api',
    },
    ...{ openedBy: 'session', createdBy: null, visitor: null, joinTimeoutMs: limits.joinTimeoutMs, retentionMs },
    ...{ unjoinedCap: 1_000, concurrentCap: 100_000, tenantCap: null, warm: false, idempotency: null, signature: null },
  });
  return session;
}

/** Person and agent come into the room of a session, as somebody reports it. */
export async function join(
  { db }: Where,
  { room }: StoredSession,
  at: Date,
): Promise<{ person: string; agent: string }> {
  const sids = { person: `PA_${randomUUID()}`, agent: `PA_${randomUUID()}` };
  for (const role of ['person', 'agent'] as const) {
    const sighting = { room, sid: sids[role], identity: role, role, source: 'room_event' as const, at };
    await reportJoined({ db, notifier: silent }, sighting);
  }
  return sids;
}

export interface Said {
  lines?: (readonly ['USER' | 'ASSISTANT', string])[];
  toolCalls?: { name: string; status: ToolOutcome; arguments?: Record<string, unknown>; result?: string }[];
}

/** Stores what a host would. */
export async function say(
  { db, tenant }: Where,
  { id }: StoredSession,
  { lines = [], toolCalls = [] }: Said,
): Promise<void> {
  const common = { tenant, session: id, at: new Date(), mode: 'TEXT' as const };
  let turn = 0;
  for (const [role, content] of lines) {
    if (role === 'USER') turn = (await addPersonText(db, { ...common, key: randomUUID(), content }))?.sequence ?? turn;
    else
      await addReply(db, {
        ...{ ...common, epoch: 0, turn, content, interrupted: false, closesTurn: true, tokens: 0, key: randomUUID() },
      });
  }
  for (const [ordinal, { name, status, arguments: args = {}, result = '{}' }] of toolCalls.entries()) {
    const call = newUuid();
    await startToolCall(db, { tenant, session: id, epoch: 0, turn, ordinal, id: call, name, arguments: args });
    await finishToolCall(db, { tenant, id: call, status, result });
  }
}

/** Ends a session; nobody closes its room here. */
export async function end(
  { db, tenant }: Where,
  { id }: StoredSession,
  reason: EndReason,
  at = new Date(),
): Promise<void> {
  const deps = { db, notifier: silent, rooms: { close: async () => undefined }, clock: { now: () => at } };
  await endSession(deps, { tenant, session: id, reason, source: 'test', at });
}

/**
 * Stores in one transaction: a host of the same world would give a session that it finds in between to a warm room of its own, and
 * whoever is then reported in the room that the session was created with joins nothing.
 */
export const unseenByHosts = <Result>(
  { db, tenant }: Where,
  work: (where: Where) => Promise<Result>,
): Promise<Result> =>
  db.asTenant(tenant, (tx) =>
    work({ db: { ...db, query: tx.query, asTenant: (_tenant, inner) => inner(tx) }, tenant }),
  );

/** A whole conversation, over and done: what the worker finds. */
export const storeConversation = (
  where: Where,
  { agent = 'echo', ...said }: Said & { agent?: string } = {},
): Promise<StoredSession> =>
  unseenByHosts(where, async (here) => {
    const session = await storeSession(here, agent);
    await join(here, session, new Date(Date.now() - 20_000));
    await say(here, session, {
      lines: [
        ['USER', 'hello'],
        ['ASSISTANT', 'You said: hello'],
      ],
      ...said,
    });
    await end(here, session, 'client_ended');
    return session;
  });

export const readRow = ({ db, tenant }: Where, { id }: StoredSession) =>
  db.asTenant(tenant, (tx) => lockSession(tx, id));
