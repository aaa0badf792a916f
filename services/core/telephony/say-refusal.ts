import { speechNeeds, unmetNeeds } from '../../agent-files/definition/speech-needs.ts';
import { sleep } from '../../process/sleep.ts';
import type { Database } from '../../store/database.ts';
import { channels, type Notifier } from '../../store/notify.ts';
import type { CallRow } from '../../store/tables/calls.ts';
import { listSpeakers } from '../../store/tables/hosts.ts';
import { type LiveAgent, loadLiveAgent } from '../agents/live-agent.ts';
import { agentIdentity, isMissing, type Rooms } from '../rooms/rooms.ts';

export interface SayRefusalDeps {
  db: Database;
  notifier: Notifier;
  rooms: Pick<Rooms, 'participants'>;
}

/** A host makes the sentence first, by a voice that it may have to load; meanwhile it rings. */
const comesWithinMs = 8_000;
const lookEveryMs = 250;

/**
 * Asks a host to say to whoever is on the telephone, in the agent's voice, why nobody talks to them: any host with that voice, also one that has no
 * room for a conversation. It answers a call that is refused, and takes leave of one whose own host was lost. Whether one is in the room now; it
 * ends the call (services/agent/host/refusals.ts).
 */
export async function sayRefusal({ db, notifier, rooms }: SayRefusalDeps, call: CallRow): Promise<boolean> {
  const { tenant_id: tenant, id, room_name: room } = call;
  const lost = await agentIn(rooms, room);
  const agent = await loadLiveAgent(db, tenant, call.agent);
  const host = agent && (await speakerFor(db, agent, call));
  if (host === undefined) return false;
  notifier.tell(channels.refusal, [host, tenant, id].join(' '));
  const until = performance.now() + comesWithinMs;
  while (performance.now() < until) {
    await sleep(lookEveryMs);
    const there = await agentIn(rooms, room);
    // The room server misses a host that was lost some 20 s later.
    if (there !== undefined && there !== lost) return true;
  }
  return false;
}

/** The language in which a call is refused: that of its number, where the agent has it. */
export const languageOfRefusal = (
  { definition }: Pick<LiveAgent, 'definition'>,
  { language }: Pick<CallRow, 'language'>,
): string => definition.languages.find(({ code }) => code === language)?.code ?? definition.defaultLanguage;

/** Any one that has the voice: the next call asks another. */
async function speakerFor(db: Database, agent: LiveAgent, call: CallRow): Promise<string | undefined> {
  const needs = speechNeeds(agent.definition, languageOfRefusal(agent, call));
  const able = (await listSpeakers(db)).filter(
    ({ abilities }) => !abilities || unmetNeeds(needs, new Set(abilities)).length === 0,
  );
  return able[Math.floor(Math.random() * able.length)]?.id;
}

/** Its participant's id. */
async function agentIn(rooms: SayRefusalDeps['rooms'], room: string): Promise<string | undefined> {
  try {
    return (await rooms.participants(room)).find(({ identity }) => identity === agentIdentity)?.sid;
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}
