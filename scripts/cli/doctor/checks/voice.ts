/** A spoken session as a caller has it: the agent is heard, and what the microphone sends arrives. */
import '../../../../services/agent/room/quiet-native-layer.ts';
import { AudioStream, type RemoteTrack, Room, RoomEvent, TrackKind } from '@livekit/rtc-node';
import { SoundTrack } from '../../../../services/agent/room/sound-track.ts';
import { bestEffort } from '../../../../services/process/best-effort.ts';
import { sleep } from '../../../../services/process/sleep.ts';
import { within } from '../../../../services/process/within.ts';
import { type Finding, failed, ok, reason, warning } from './finding.ts';

const rate = 48_000;
const frameSamples = rate / 50;
/** Of 32 768: quieter is silence. */
const loud = 150;
const heardWithinMs = 30_000;
/** The other side tells every few seconds what it has received. */
const reportWithinMs = 15_000;
/** In a call, more than this is heard. */
const mostLost = 0.05;

interface Connection {
  wsUrl: string;
  token: string;
}

export async function checkVoice({ wsUrl, token }: Connection): Promise<Finding[]> {
  const room = new Room();
  const heard = agentIsHeard(room);
  const microphone = new Microphone();
  try {
    await room.connect(wsUrl, token, { autoSubscribe: true, dynacast: false });
    await microphone.open(room);
    const began = performance.now();
    // Whether it greets or not: what is typed in a spoken session is answered aloud.
    await room.localParticipant?.sendText('Hello', { topic: 'lk.chat' });
    await heard;
    const waitedMs = Math.round(performance.now() - began);
    return [ok('voice', `The agent was heard after ${waitedMs} ms.`), await microphoneFinding(room)];
  } catch (error) {
    const todo =
      'Is UDP to the address above open both ways? Does the agents’ log tell of its voice (docs/call/voice.md)?';
    return [failed('voice', `The agent is not heard: ${reason(error)}.`, todo)];
  } finally {
    await microphone.silence();
    await bestEffort('it may never have been connected', room.disconnect());
    await microphone.close();
  }
}

function agentIsHeard(room: Room): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  room.on(RoomEvent.TrackSubscribed, (track: RemoteTrack) => {
    if (track.kind === TrackKind.KIND_AUDIO) void firstSound(track).then(resolve, reject);
  });
  const heard = within(heardWithinMs, 'the first sound', promise);
  void bestEffort('whoever waits for it hears of it', heard);
  return heard;
}

async function firstSound(track: RemoteTrack): Promise<void> {
  for await (const { data } of new AudioStream(track, rate, 1))
    if (data.some((sample) => Math.abs(sample) > loud)) return;
}

/** A person who says nothing: a noise far below what counts as speech, which is sent and not left out as silence is. */
class Microphone {
  #track: SoundTrack | undefined;
  #sending: Promise<void> | undefined;
  #silent = false;

  async open(room: Room): Promise<void> {
    this.#track = await SoundTrack.publish(room, { name: 'microphone', rate, queueMs: 100, dtx: false });
    this.#sending = this.#send(this.#track);
  }

  async silence(): Promise<void> {
    this.#silent = true;
    await bestEffort('a room that is gone takes no sound', this.#sending);
  }

  /** After the room was left. */
  async close(): Promise<void> {
    await bestEffort('the room may have closed it', this.#track?.close());
  }

  async #send(track: SoundTrack): Promise<void> {
    while (!this.#silent)
      await track.play(Int16Array.from({ length: frameSamples }, () => Math.round(Math.random() * 8 - 4)));
  }
}

async function microphoneFinding(room: Room): Promise<Finding> {
  const until = performance.now() + reportWithinMs;
  while (performance.now() < until) {
    const report = await reportOf(room);
    if (report) return lossFinding(report);
    await sleep(250);
  }
  const todo = 'Callers are not heard: is UDP from here to the room server open?';
  return failed('microphone', `The room server tells of nothing that it has received of ours.`, todo);
}

export interface ReceptionReport {
  /** Share of the packets that did not arrive, 0 to 1. */
  lost: number;
  roundTripSeconds: number;
}

/** What the room server told of the packets that we sent. */
async function reportOf(room: Room): Promise<ReceptionReport | undefined> {
  const { publisherStats } = await room.getRtcStats();
  for (const { stats } of publisherStats) {
    if (stats.case !== 'remoteInboundRtp') continue;
    const { fractionLost = 0, roundTripTime = 0, roundTripTimeMeasurements = 0n } = stats.value.remoteInbound ?? {};
    if (roundTripTimeMeasurements > 0n) return { lost: fractionLost, roundTripSeconds: roundTripTime };
  }
  return undefined;
}

export function lossFinding({ lost, roundTripSeconds }: ReceptionReport): Finding {
  const percent = (100 * lost).toFixed(1);
  const says = `${percent} % of what it sends is lost, and the way there and back takes ${Math.round(1_000 * roundTripSeconds)} ms.`;
  if (lost <= mostLost) return ok('microphone', says);
  const todo = 'From this network calls break up: try from another one before you look at the room servers.';
  return warning('microphone', says, todo);
}
