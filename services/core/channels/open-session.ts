import type { SpeechNeeds } from '../../agent-files/definition/speech-needs.ts';
import { problems } from '../../contract/problems.ts';
import type { Channel } from '../../contract/session.ts';
import { bestEffort } from '../../process/best-effort.ts';
import type { Database } from '../../store/database.ts';
import { hasVoiceRoom, listHostSpeech } from '../../store/tables/hosts.ts';
import type { CreateResult, NewSession } from '../../store/tables/sessions.ts';
import { countSpokenRefusal } from '../../store/tables/totals.ts';
import { type LiveAgent, refuseWhenClosed } from '../agents/live-agent.ts';
import { canBeSpoken, type HostsSpeech, whyUnspoken } from '../hosts/speech.ts';
import { personIdentity } from '../rooms/rooms.ts';
import { newRoomName, newSessionId } from '../sessions/ids.ts';
import type { InsertSession } from '../sessions/insert-together.ts';
import { choose, type Wishes } from './choose.ts';

export interface OpenDeps {
  db: Database;
  insertSession: InsertSession;
  hostsSpeech: () => Promise<HostsSpeech>;
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

/**
 * The one way in which a session comes into being, whichever channel it came by: the agent is open, language, voice and mode
 * are chosen, caps and capacity are kept.
 * @throws Problem `agent_disabled`, `language_not_configured`, `voice_not_available`, `voice_unavailable`, the caps' 429s, the
 * idempotency codes, `session_ended`, `no_capacity`
 */
export async function openSession(deps: OpenDeps, origin: Origin): Promise<CreateResult> {
  refuseWhenClosed(origin.agent);
  const session = await newSession(deps, origin);
  const created = await insertOrWait(deps, session, origin.mayWait);
  if (created.result === 'voice_unavailable') {
    throw problems.voiceUnavailable(whyUnspoken(session.speechNeeds ?? [], await listHostSpeech(deps.db)));
  }
  refuse(created.result, session);
  return created;
}

async function newSession(deps: OpenDeps, origin: Origin): Promise<NewSession> {
  const { agent, room } = origin;
  const { definition, settings } = agent;
  const choice = await choose(definition, origin.wishes, deps.hostsSpeech);
  if (room && choice.needs) await refuseUnspeakable(deps, choice.needs);
  if (room && choice.needs && !origin.mayWait) await refuseFull(deps, choice.needs);
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

/**
 * Whoever is in a room already has no answer to wait for: a session that no host there can speak would only be silence. While no
 * host is there, nothing is known, and it waits for one. @throws Problem `voice_unavailable`
 */
async function refuseUnspeakable({ hostsSpeech }: OpenDeps, needs: SpeechNeeds): Promise<void> {
  const hosts = await hostsSpeech();
  if (hosts.some((kind) => kind.is_there) && !canBeSpoken(needs, hosts))
    throw problems.voiceUnavailable(whyUnspoken(needs, hosts));
}

/** Whoever is in a room already hears that we are busy, and may try again. @throws Problem `no_capacity` */
async function refuseFull({ db }: OpenDeps, needs: SpeechNeeds): Promise<void> {
  if (await hasVoiceRoom(db, needs)) return;
  void bestEffort('a figure for scaling: the refusal is told, whether or not it is counted', countSpokenRefusal(db));
  throw problems.noCapacity();
}

/** A spoken session for which no host has room is made all the same where it may wait for one; else its refusal counts. */
async function insertOrWait(
  { db, insertSession }: OpenDeps,
  session: NewSession,
  mayWait: boolean,
): Promise<CreateResult> {
  const created = await insertSession(session);
  if (created.result !== 'no_capacity') return created;
  if (mayWait) return insertSession({ ...session, warm: false });
  void bestEffort('a figure for scaling: the refusal is told, whether or not it is counted', countSpokenRefusal(db));
  return created;
}

function refuse(
  result: Exclude<CreateResult['result'], 'voice_unavailable'>,
  { unjoinedCap, visitor }: Pick<NewSession, 'unjoinedCap' | 'visitor'>,
): void {
  switch (result) {
    case 'warm':
    case 'cold':
    case 'replayed':
      return;
    case 'session_ended':
      throw problems.sessionEnded();
    case 'idempotency_key_in_progress':
      throw problems.idempotencyKeyInProgress();
    case 'idempotency_key_reused':
      throw problems.idempotencyKeyReused();
    case 'signature_used':
      throw problems.signatureInvalid('it was used before');
    case 'unjoined_limit':
      throw problems.unjoinedLimit(unjoinedCap);
    case 'visitor_limit':
      throw visitor?.kind === 'unsigned' ? problems.unsignedLimit() : problems.visitorLimit();
    case 'concurrency_limit':
      throw problems.concurrencyLimit();
    case 'no_capacity':
      throw problems.noCapacity();
    default:
      return result satisfies never;
  }
}
