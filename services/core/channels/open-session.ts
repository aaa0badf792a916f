import type { SpeechNeeds } from '../../agent-files/definition/speech-needs.ts';
import { problems } from '../../contract/problems.ts';
import { bestEffort } from '../../process/best-effort.ts';
import type { Database } from '../../store/database.ts';
import { hasVoiceRoom, listHostSpeech } from '../../store/tables/hosts.ts';
import type { CreateResult } from '../../store/tables/sessions.ts';
import { countSpokenRefusal } from '../../store/tables/totals.ts';
import { refuseWhenClosed } from '../agents/live-agent.ts';
import { canBeSpoken, type HostsSpeech, whyUnspoken } from '../hosts/speech.ts';
import type { InsertSession } from '../sessions/insert-together.ts';
import { type Choice, choose } from './choose.ts';
import { type NewSession, newSession, type Origin } from './new-session.ts';

export interface OpenDeps {
  db: Database;
  insertSession: InsertSession;
  hostsSpeech: () => Promise<HostsSpeech>;
}

/**
 * The one way in which a session comes into being, whichever channel it came by: the agent is open, language, voice and mode
 * are chosen, caps and capacity are kept.
 * @throws Problem `agent_disabled`, `language_not_configured`, `voice_not_available`, `voice_unavailable`, the caps' 429s, the
 * idempotency codes, `session_ended`, `no_capacity`
 */
export async function openSession(deps: OpenDeps, origin: Origin): Promise<CreateResult> {
  refuseWhenClosed(origin.agent);
  const session = newSession(origin, await chooseFor(deps, origin));
  const created = await insertOrWait(deps, session, origin.mayWait);
  if (created.result === 'voice_unavailable') {
    throw problems.voiceUnavailable(whyUnspoken(session.speechNeeds ?? [], await listHostSpeech(deps.db)));
  }
  refuse(created.result, session);
  return created;
}

async function chooseFor(deps: OpenDeps, { agent, room, wishes, mayWait }: Origin): Promise<Choice> {
  const choice = await choose(agent.definition, wishes, deps.hostsSpeech);
  if (room && choice.needs) await refuseUnspeakable(deps, choice.needs);
  if (room && choice.needs && !mayWait) await refuseFull(deps, choice.needs);
  return choice;
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
