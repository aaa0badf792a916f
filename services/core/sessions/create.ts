import type {
  CompiledAgent,
  CompiledLanguage,
  CompiledVoice,
  InteractionMode,
} from '../../agent-files/definition/compiled.ts';
import { type SpeechNeeds, speechNeeds } from '../../agent-files/definition/speech-needs.ts';
import { problems } from '../../contract/problems.ts';
import type { Database } from '../../store/database.ts';
import { channels, type Notifier } from '../../store/notify.ts';
import { listHostSpeech } from '../../store/tables/hosts.ts';
import { type Channel, type CreateResult, findSession, type NewSession } from '../../store/tables/sessions.ts';
import { countSpokenRefusal } from '../../store/tables/totals.ts';
import { type LiveAgent, refuseWhenClosed } from '../agents/live-agent.ts';
import type { Readiness } from '../hosts/readiness.ts';
import { canBeSpoken, type HostsSpeech, speakableVoices, whyUnspoken } from '../hosts/speech.ts';
import { personIdentity, type Rooms } from '../rooms/rooms.ts';
import { abandonSession, type EndDeps } from './end.ts';
import { newRoomName, newSessionId, sha256 } from './ids.ts';
import type { InsertSession } from './insert-together.ts';
import { type ColdStart, secondsUntilAgent, waitForHost } from './wait-for-host.ts';

export interface CreateDeps extends EndDeps {
  db: Database;
  insertSession: InsertSession;
  rooms: Rooms;
  notifier: Notifier;
  readiness: Readiness;
  hostsSpeech: () => Promise<HostsSpeech>;
  /** Undefined where a session without an agent is refused. */
  coldStart: ColdStart | undefined;
}

export interface Caller {
  agent: LiveAgent;
  keyHash: Buffer;
  /** The client's address, IPv6 by /64: for the cap on unjoined sessions. */
  address: string;
  /** Given by browsers. */
  origin: string | undefined;
  /** Whether the request carried a signature made with the agent's secret. */
  signature: Buffer | undefined;
  channel: Channel;
  idempotency: { scope: string; bodyHash: Buffer } | undefined;
}

export interface SessionRequest {
  language?: string | undefined;
  voiceId?: string | undefined;
  systemPrompt?: string | undefined;
  interactionMode?: InteractionMode | undefined;
}

export interface Connection {
  sessionId: string;
  wsUrl: string;
  token: string;
  voiceId?: string;
}

export interface Opened {
  connection: Connection;
  /** Undefined: the agent is in the room. Else it comes within so many seconds, or the session ends. */
  agentWithinSeconds: number | undefined;
}

/** As long as a caller waits for an agent to join when no warm room was left. */
const coldWaitMs = 1_000;

/**
 * Creates a session and answers when its agent is in the room: at once with a warm room, within a second without one. Where
 * `coldStart` allows it, a session that found no agent waits for a host in a room of its own.
 * @throws Problem `agent_disabled`, `language_not_configured`, `voice_not_available`, `voice_unavailable`,
 * `prompt_override_not_allowed`, the caps' 429s, the idempotency codes, `session_ended`, `no_capacity`
 */
export async function createSession(
  deps: CreateDeps,
  caller: Caller,
  request: SessionRequest,
  openedBy: 'session' | 'token' = 'session',
): Promise<Opened> {
  const { agent } = caller;
  refuseWhenClosed(agent);
  refusePromptOverride(caller, request.systemPrompt);
  const choice = await choose(deps, agent.definition, request);
  const { limits, retentionMs, settings } = { ...agent.definition, settings: agent.settings };
  const { needs } = choice;
  const created = await insertOrWait(deps, {
    tenant: agent.tenant,
    agent: agent.agent,
    version: agent.versionHash,
    id: newSessionId(),
    roomName: newRoomName(),
    identity: personIdentity,
    mode: choice.mode,
    language: choice.language.code,
    speechNeeds: needs,
    voiceId: choice.voiceId,
    promptOverride: request.systemPrompt ?? null,
    channel: caller.channel,
    openedBy,
    createdBy: sha256(caller.keyHash, caller.address),
    joinTimeoutMs: limits.joinTimeoutMs,
    retentionMs,
    unjoinedCap: settings.caps.unjoinedSessions,
    concurrentCap: settings.caps.concurrentSessions,
    tenantCap: agent.tenantCap,
    warm: true,
    idempotency: caller.idempotency
      ? { scopeHash: sha256(caller.keyHash, caller.idempotency.scope), bodyHash: caller.idempotency.bodyHash }
      : null,
    signature: caller.signature ?? null,
  });
  if (created.result === 'voice_unavailable') {
    throw problems.voiceUnavailable(whyUnspoken(needs ?? [], await listHostSpeech(deps.db)));
  }
  refuse(created.result, settings.caps.unjoinedSessions);
  const { session, agentWithinSeconds } = await attended(deps, agent.tenant, created);
  return { connection: connect(deps.rooms, agent, session), agentWithinSeconds };
}

/** A spoken session for which no host has room is made all the same where it may wait for one; else its refusal counts. */
async function insertOrWait(deps: CreateDeps, session: NewSession): Promise<CreateResult> {
  const created = await deps.insertSession(session);
  if (created.result !== 'no_capacity') return created;
  // The signature was taken by the first attempt.
  if (deps.coldStart) return deps.insertSession({ ...session, warm: false, signature: null });
  countSpokenRefusal(deps.db).catch(() => undefined);
  return created;
}

/** Answers with fresh credentials for the same participant and room. */
export function connect(
  rooms: Rooms,
  agent: LiveAgent,
  session: Pick<CreateResult, 'session_id' | 'room_name' | 'identity' | 'voice_id'>,
): Connection {
  const token = rooms.personToken(session.room_name, session.identity, {
    ttlMs: agent.definition.limits.joinTimeoutMs,
    camera: agent.settings.sessions.camera,
  });
  return {
    sessionId: session.session_id,
    wsUrl: rooms.publicUrl,
    token,
    ...(session.voice_id === null ? {} : { voiceId: session.voice_id }),
  };
}

function refusePromptOverride({ agent, origin, signature }: Caller, systemPrompt: string | undefined): void {
  if (systemPrompt === undefined) return;
  const allowed = agent.settings.sessions.systemPrompt;
  if (origin !== undefined)
    throw problems.promptOverrideNotAllowed('a browser may not replace the prompt, build it on your server');
  if (allowed === 'never')
    throw problems.promptOverrideNotAllowed('this agent never takes one (sessions.systemPrompt: never)');
  if (allowed === 'signed' && !signature) {
    throw problems.promptOverrideNotAllowed(
      'this agent takes one in signed requests only (sessions.systemPrompt: signed)',
    );
  }
}

interface Choice {
  language: CompiledLanguage;
  voiceId: string | null;
  mode: InteractionMode;
  /** Null in a written session. */
  needs: SpeechNeeds | null;
}

async function choose(
  { hostsSpeech }: Pick<CreateDeps, 'hostsSpeech'>,
  definition: CompiledAgent,
  request: SessionRequest,
): Promise<Choice> {
  const language = findLanguage(definition, request.language ?? definition.defaultLanguage);
  const voiceId = findVoice(language, language.voices, request.voiceId);
  const mode = request.interactionMode ?? definition.interactionMode;
  if (mode !== 'VOICE') return { language, voiceId, mode, needs: null };
  const needs = speechNeeds(definition, language.code);
  if (voiceId === null) return { language, voiceId, mode, needs };
  const hosts = await hostsSpeech();
  // Where nobody can speak at all, that is what is wrong, and not the voice.
  if (!canBeSpoken(needs, hosts)) return { language, voiceId, mode, needs };
  const spoken = findVoice(language, speakableVoices(definition, language, hosts), request.voiceId);
  return { language, voiceId: spoken, mode, needs };
}

function findLanguage({ languages }: CompiledAgent, code: string): CompiledLanguage {
  const found = languages.find((language) => language.code.toLowerCase() === code.toLowerCase());
  if (found) return found;
  throw problems.languageNotConfigured(
    code,
    languages.map((language) => language.code),
  );
}

function findVoice(
  { code }: CompiledLanguage,
  voices: readonly CompiledVoice[],
  voiceId: string | undefined,
): string | null {
  if (voiceId === undefined) return voices.find((voice) => voice.default)?.id ?? null;
  if (voices.some((voice) => voice.id === voiceId)) return voiceId;
  throw problems.voiceNotAvailable(
    voiceId,
    code,
    voices.map((voice) => voice.id),
  );
}

function refuse(result: Exclude<CreateResult['result'], 'voice_unavailable'>, unjoinedCap: number): void {
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
    case 'concurrency_limit':
      throw problems.concurrencyLimit();
    case 'no_capacity':
      throw problems.noCapacity();
    default:
      return result satisfies never;
  }
}

type Attended = Pick<Opened, 'agentWithinSeconds'> & { session: CreateResult };

/** The session as it can be joined: with its agent, or waiting for one where that is allowed. @throws Problem `no_capacity` */
async function attended(deps: CreateDeps, tenant: string, created: CreateResult): Promise<Attended> {
  if (created.result === 'cold') return waitForAgent(deps, tenant, created);
  if (created.result === 'warm') deps.notifier.tell(channels.work, created.host_id ?? '');
  const waits = created.result === 'replayed' && deps.coldStart !== undefined;
  const row = waits ? await deps.db.asTenant(tenant, (tx) => findSession(tx, created.session_id)) : undefined;
  return { session: created, agentWithinSeconds: row && secondsUntilAgent(row, deps.clock) };
}

/** Whoever waited for a warm room has got that room. */
async function waitForAgent(deps: CreateDeps, tenant: string, created: CreateResult): Promise<Attended> {
  const ready = deps.readiness.wait(tenant, created.session_id, coldWaitMs);
  deps.notifier.tell(channels.work, '');
  if (!(await ready)) {
    const agentWithinSeconds = await waitForHost(deps, tenant, created);
    if (agentWithinSeconds !== undefined) return { session: created, agentWithinSeconds };
    // The agent may have come in the very moment in which we gave up: then the session stands.
    if (await abandonSession(deps, tenant, created.session_id)) throw problems.noCapacity();
  }
  const session = await deps.db.asTenant(tenant, (tx) => findSession(tx, created.session_id));
  if (!session || session.status === 'ended') throw problems.noCapacity();
  return {
    session: { ...created, room_name: session.room_name, host_id: session.host_id },
    agentWithinSeconds: undefined,
  };
}
