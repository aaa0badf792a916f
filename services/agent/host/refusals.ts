import '../room/quiet-native-layer.ts';
import { Room } from '@livekit/rtc-node';
import { builtInLines } from '../../agent-files/definition/lines.ts';
import { loadLiveAgent } from '../../core/agents/live-agent.ts';
import type { Rooms } from '../../core/rooms/rooms.ts';
import { languageOfRefusal } from '../../core/telephony/say-refusal.ts';
import { bestEffort } from '../../process/best-effort.ts';
import type { Logger } from '../../process/logger.ts';
import { sleep } from '../../process/sleep.ts';
import { within } from '../../process/within.ts';
import type { Database } from '../../store/database.ts';
import { channels } from '../../store/notify.ts';
import { type CallRow, findCall } from '../../store/tables/calls.ts';
import type { OpenSpeech } from '../conversation/executors/speech.ts';
import { openVoiceStream } from '../conversation/voice/synthesis.ts';
import { connect } from '../room/connect.ts';
import { isLeg, isPresent } from '../room/persons.ts';
import { Speaker, speakerRate } from '../room/speaker.ts';

export interface RefusalsDeps {
  db: Database;
  rooms: Pick<Rooms, 'url' | 'agentToken' | 'close'>;
  logger: Logger;
  hostId: string;
  openSpeech: OpenSpeech;
}

/** Each is a connection and a voice; who calls beyond them hears that we are busy. */
const mostAtOnce = 4;
/** From the order until the call is over, whatever hangs. */
const overWithinMs = 20_000;
/** The bridge answers the call once it hears our track. */
const answeredWithinMs = 5_000;
const lookEveryMs = 50;
/** What was sent last is on its way to the caller. */
const lastWordsMs = 700;
/** Samples that are handed over at a time: the queue of a track takes no more than 200 ms. */
const piece = speakerRate / 50;

/** Says to people on the telephone why nobody talks to them, and hangs up: calls without a session, or whose session is over, which cost nobody anything. */
export class Refusals {
  readonly #deps: RefusalsDeps;
  #underWay = 0;

  constructor(deps: RefusalsDeps) {
    this.#deps = deps;
  }

  /** A notice from the database: `<host> <tenant> <call>`. Who asked for it waits for a few seconds, and turns the caller away otherwise. */
  heard(channel: string, payload: string): void {
    if (channel !== channels.refusal) return;
    const [host, tenant = '', call = ''] = payload.split(' ');
    if (host !== this.#deps.hostId || this.#underWay >= mostAtOnce) return;
    this.#underWay += 1;
    this.#answer(tenant, call)
      .catch((error: unknown) => this.#deps.logger.warn({ err: error }, 'a refusal could not be said'))
      .finally(() => {
        this.#underWay -= 1;
      });
  }

  async #answer(tenant: string, id: string): Promise<void> {
    const { db, rooms } = this.#deps;
    const call = await db.asTenant(tenant, (tx) => findCall(tx, id));
    if (!call?.ended_at) return;
    const answering = this.#say(call).finally(() => rooms.close(call.room_name));
    await within(overWithinMs, 'a refusal', answering).catch(async (error: unknown) => {
      await bestEffort('the room goes as one that nobody needs', rooms.close(call.room_name));
      throw error;
    });
  }

  async #say(call: CallRow): Promise<void> {
    const sound = await this.#soundOf(call);
    if (sound.length === 0) return;
    const room = new Room();
    let speaker: Speaker | undefined;
    try {
      await connect(room, this.#deps.rooms.url, this.#deps.rooms.agentToken(call.room_name));
      speaker = await Speaker.publish(room);
      await speaker.listenedTo();
      if (await isAnswered(room)) await playTo(room, speaker, sound);
    } finally {
      await room.disconnect();
      await speaker?.close();
    }
  }

  /** Made before anybody is in the room: as long as there is none, it rings. */
  async #soundOf(call: CallRow): Promise<Int16Array[]> {
    const agent = await loadLiveAgent(this.#deps.db, call.tenant_id, call.agent);
    if (!agent) return [];
    const language = languageOfRefusal(agent, call);
    const speech = await this.#deps.openSpeech(agent.definition, { language, voice: undefined });
    try {
      const stream = openVoiceStream(speech.tts);
      stream.say(lineOf(call, language));
      stream.end();
      const sound: Int16Array[] = [];
      for await (const { samples } of stream) sound.push(samples);
      return sound;
    } finally {
      await speech.close();
    }
  }
}

function lineOf({ state, refused_because: because }: CallRow, language: string): string {
  const { closedNow, cannotTakeCalls, mustHangUp } = builtInLines(language);
  if (state !== 'refused') return mustHangUp;
  return because === 'closed' ? closedNow : cannotTakeCalls;
}

/** False when the caller has hung up, or the bridge does not answer. */
async function isAnswered(room: Room): Promise<boolean> {
  const until = performance.now() + answeredWithinMs;
  while (performance.now() < until && isRinging(room)) await sleep(lookEveryMs);
  return [...room.remoteParticipants.values()].some(isPresent);
}

function isRinging({ remoteParticipants }: Room): boolean {
  const legs = [...remoteParticipants.values()].filter(isLeg);
  return legs.length > 0 && !legs.some(isPresent);
}

/** Resolves when the caller has heard it, or has hung up. */
async function playTo(room: Room, speaker: Speaker, sound: readonly Int16Array[]): Promise<void> {
  for (const samples of sound) {
    for (let from = 0; from < samples.length; from += piece) {
      if (room.remoteParticipants.size === 0) return;
      await speaker.play(samples.subarray(from, from + piece));
    }
  }
  while (speaker.queuedMs > 0) await sleep(lookEveryMs);
  await sleep(lastWordsMs);
}
