import { problems } from '../../contract/problems.ts';
import type { Database } from '../../store/database.ts';
import { channels, type Notifier } from '../../store/notify.ts';
import { type Channel, insertSession, locateRoom } from '../../store/tables/sessions.ts';
import { loadLiveAgent, refuseWhenClosed } from '../agents/live-agent.ts';
import { newSessionId } from '../sessions/ids.ts';

export interface Arrival {
  tenant: string;
  agent: string;
  room: string;
  identity: string;
  channel: Channel;
  language?: string;
}

/**
 * The second door: somebody is in a room that has no session (an inbound call). The room becomes a session, and any host
 * may claim it. Two reports of the same arrival make one session. Returns the session's id.
 * @throws Problem `agent_not_found`, `agent_disabled`, `language_not_configured`, the caps' 429s
 */
export async function admitArrival(
  { db, notifier }: { db: Database; notifier: Notifier },
  arrival: Arrival,
): Promise<string> {
  const known = await locateRoom(db, arrival.room);
  if (known) return known.session_id;
  const agent = await loadLiveAgent(db, arrival.tenant, arrival.agent);
  if (!agent) throw problems.agentNotFound(arrival.agent);
  refuseWhenClosed(agent);
  const { definition, settings } = agent;
  const code = arrival.language ?? definition.defaultLanguage;
  const language = definition.languages.find((configured) => configured.code.toLowerCase() === code.toLowerCase());
  if (!language) {
    throw problems.languageNotConfigured(
      code,
      definition.languages.map((configured) => configured.code),
    );
  }
  const created = await insertSession(db, {
    tenant: arrival.tenant,
    agent: arrival.agent,
    version: agent.versionHash,
    id: newSessionId(),
    roomName: arrival.room,
    identity: arrival.identity,
    mode: 'TEXT',
    language: language.code,
    speechNeeds: null,
    voiceId: language.voices.find((voice) => voice.default)?.id ?? null,
    promptOverride: null,
    channel: arrival.channel,
    openedBy: 'room',
    createdBy: null,
    joinTimeoutMs: definition.limits.joinTimeoutMs,
    retentionMs: definition.retentionMs,
    unjoinedCap: settings.caps.unjoinedSessions,
    concurrentCap: settings.caps.concurrentSessions,
    tenantCap: agent.tenantCap,
    warm: false,
    idempotency: null,
    signature: null,
  }).catch(async (error: unknown) => {
    // Somebody else reported the same arrival a moment earlier: room names are unique.
    const other = await locateRoom(db, arrival.room);
    if (!other) throw error;
    return { result: 'cold' as const, session_id: other.session_id };
  });
  if (created.result === 'concurrency_limit') throw problems.concurrencyLimit();
  notifier.tell(channels.work, '');
  return created.session_id;
}
