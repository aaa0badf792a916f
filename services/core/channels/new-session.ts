/**
 * What a session is when it comes into being: a value that is set then is named here and in functions/open_sessions.sql.
 */
import type { SpeechNeeds } from '../../agent-files/definition/speech-needs.ts';
import type { Channel, InteractionMode } from '../../contract/session.ts';
import type { Queryable } from '../../store/sql.ts';
import { type CreateResult, openRepeatable, openSessions, type SessionRow } from '../../store/tables/sessions.ts';
import { storable } from '../../store/text.ts';
import type { LiveAgent } from '../agents/live-agent.ts';
import { personIdentity } from '../rooms/rooms.ts';
import { newRoomName, newSessionId } from '../sessions/ids.ts';
import type { Choice, Wishes } from './choose.ts';

/** Whose budget a session counts against: one visitor of a page, or all unsigned requests together that come from none. */
export interface Visitor {
  /** A hash. */
  id: Buffer;
  /** As the agent's caps are named. */
  kind: 'visitor' | 'unsigned';
}

/** Where a session comes from: every channel describes itself in these terms. */
export interface Origin {
  agent: LiveAgent;
  channel: Channel;
  openedBy: NewSession['openedBy'];
  wishes: Wishes;
  /** The room that somebody is in already; undefined: one of its own, with an agent waiting in it when there is one. */
  room?: { name: string; identity: string };
  promptOverride?: string | undefined;
  /** Hash of who asked, for the cap on unjoined sessions; without it the session isn't counted there. */
  createdBy?: Buffer;
  /** Without one the session counts against nobody's budget. */
  visitor?: NewSession['visitor'];
  idempotency?: NewSession['idempotency'];
  signature?: Buffer | undefined;
  test?: NewSession['test'];
  /** Whether a spoken session for which no host has room is made all the same, and waits. */
  mayWait: boolean;
}

export interface NewSession {
  tenant: string;
  agent: string;
  version: string;
  id: string;
  roomName: string;
  identity: string;
  mode: InteractionMode;
  language: string;
  /** Null when the session is written. */
  speechNeeds: SpeechNeeds | null;
  voiceId: string | null;
  promptOverride: string | null;
  channel: Channel;
  openedBy: SessionRow['opened_by'];
  /** Hash of key and address, for the cap on unjoined sessions; null is not counted. */
  createdBy: Buffer | null;
  visitor: Visitor | null;
  joinTimeoutMs: number;
  retentionMs: number;
  unjoinedCap: number;
  concurrentCap: number;
  /** Of the whole tenant; null is without one. */
  tenantCap: number | null;
  /** Whether a warm room may be taken; a session for a room that exists already may not. */
  warm: boolean;
  idempotency: { scopeHash: Buffer; bodyHash: Buffer } | null;
  signature: Buffer | null;
  /** Somebody tries the agent, with or without its webhook. */
  test?: { webhook: boolean } | undefined;
}

export function newSession({ agent, room, ...origin }: Origin, choice: Choice): NewSession {
  const { definition, settings } = agent;
  return {
    tenant: agent.tenant,
    agent: agent.agent,
    version: agent.versionHash,
    id: newSessionId(),
    roomName: room?.name ?? newRoomName(),
    identity: room?.identity ?? personIdentity,
    mode: choice.mode,
    language: choice.language.code,
    speechNeeds: choice.needs,
    voiceId: choice.voiceId,
    promptOverride: origin.promptOverride ?? null,
    channel: origin.channel,
    openedBy: origin.openedBy,
    createdBy: origin.createdBy ?? null,
    visitor: origin.visitor ?? null,
    joinTimeoutMs: definition.limits.joinTimeoutMs,
    retentionMs: definition.retentionMs,
    unjoinedCap: settings.caps.unjoinedSessions,
    concurrentCap: settings.caps.concurrentSessions,
    tenantCap: agent.tenantCap,
    warm: room === undefined,
    idempotency: origin.idempotency ?? null,
    signature: origin.signature ?? null,
    ...(origin.test && { test: origin.test }),
  };
}

/** As functions/open_sessions.sql names what sessions must have in common to be made by one statement. */
export const sharedTerms = (s: NewSession) => ({
  tenant: s.tenant,
  agent: s.agent,
  version: s.version,
  identity: s.identity,
  mode: s.mode,
  needs: s.speechNeeds,
  opened_by: s.openedBy,
  join_timeout_ms: s.joinTimeoutMs,
  retention_ms: s.retentionMs,
  unjoined_cap: s.unjoinedCap,
  concurrent_cap: s.concurrentCap,
  tenant_cap: s.tenantCap,
  warm: s.warm,
  ...(s.test && { test: true, test_webhook: s.test.webhook }),
});

/** As functions/open_sessions.sql names what each of them has of its own. */
const ownTerms = (s: NewSession) => ({
  id: s.id,
  room: s.roomName,
  language: s.language,
  voice: s.voiceId,
  prompt: s.promptOverride && storable(s.promptOverride),
  channel: s.channel,
  created_by: s.createdBy?.toString('hex'),
  visitor: s.visitor?.id.toString('hex'),
  visitor_kind: s.visitor?.kind,
});

/** The rows of sessions on the same terms and warm rooms for them, in one statement and the order given. */
export async function insertSessions(q: Queryable, sessions: readonly NewSession[]): Promise<CreateResult[]> {
  const [first] = sessions;
  if (!first) return [];
  return openSessions(q, { ...sharedTerms(first), sessions: sessions.map(ownTerms) });
}

/** As `insertSessions`, of one session whose request may be a repetition: by its Idempotency-Key, or its signature. */
export const insertSession = (q: Queryable, s: NewSession): Promise<CreateResult> =>
  openRepeatable(q, {
    ...{ ...sharedTerms(s), sessions: [ownTerms(s)] },
    scope_hash: s.idempotency?.scopeHash.toString('hex'),
    body_hash: s.idempotency?.bodyHash.toString('hex'),
    signature: s.signature?.toString('hex'),
  });
