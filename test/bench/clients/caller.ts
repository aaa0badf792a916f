import '../../../services/agent/room/quiet-native-layer.ts';
import {
  AudioStream,
  ContinualGatheringPolicy,
  IceTransportType,
  type RemoteTrack,
  Room,
  RoomEvent,
  TrackKind,
} from '@livekit/rtc-node';
import { SoundTrack } from '../../../services/agent/room/sound-track.ts';
import { microphoneRate } from '../../support/people/speech-sound.ts';
import { Recording } from './recording.ts';

const frameMs = 20;
const frameSamples = (microphoneRate * frameMs) / 1000;
const queueMs = 60;
const heardWithinMs = 10_000;

const connectOptions = {
  autoSubscribe: true,
  dynacast: false,
  rtcConfig: {
    iceServers: [],
    iceTransportType: IceTransportType.TRANSPORT_ALL,
    continualGatheringPolicy: ContinualGatheringPolicy.GATHER_ONCE,
  },
};

/** From the first sample to the last, as they left the microphone; monotonic milliseconds. */
export interface Spoken {
  from: number;
  until: number;
}

interface Saying {
  samples: Int16Array;
  position: number;
  from: number;
  until: number;
  said: PromiseWithResolvers<Spoken>;
}

/** A person on the telephone: a microphone that is never off, and a recording of what is heard. */
export class Caller {
  readonly recording = new Recording();
  readonly #room = new Room();
  #microphone: SoundTrack | undefined;
  #saying: Saying | undefined;
  #sending: Promise<void> | undefined;
  #left = false;

  static async join({ wsUrl, token }: { wsUrl: string; token: string }): Promise<Caller> {
    const caller = new Caller();
    caller.#room.on(RoomEvent.TrackSubscribed, (track) => {
      if (track.kind === TrackKind.KIND_AUDIO) void caller.#hear(track);
    });
    await caller.#room.connect(wsUrl, token, connectOptions);
    await caller.#takeMicrophone();
    return caller;
  }

  /** Says this. Resolves when the last sample has left the microphone. */
  say(samples: Int16Array): Promise<Spoken> {
    this.#saying = { samples, position: 0, from: 0, until: 0, said: Promise.withResolvers() };
    return this.#saying.said.promise;
  }

  async leave(): Promise<void> {
    this.#left = true;
    await this.#sending;
    await this.#room.disconnect();
    await this.#microphone?.close();
  }

  async #takeMicrophone(): Promise<void> {
    const microphone = await SoundTrack.publish(this.#room, { name: 'microphone', rate: microphoneRate, queueMs });
    this.#microphone = microphone;
    this.#sending = this.#send(microphone);
    // A microphone that nobody listens to yet swallows the first words.
    const late = Promise.withResolvers<void>();
    const timer = setTimeout(late.resolve, heardWithinMs);
    await Promise.race([microphone.publication.waitForSubscription(), late.promise]);
    clearTimeout(timer);
  }

  async #send(microphone: SoundTrack): Promise<void> {
    while (!this.#left) {
      const samples = new Int16Array(frameSamples);
      const saying = this.#saying;
      if (saying) {
        const words = saying.samples.subarray(saying.position, saying.position + frameSamples);
        // What is handed over now is sent after what is queued.
        const sentAt = performance.now() + microphone.queuedMs;
        if (saying.position === 0) saying.from = sentAt;
        saying.until = sentAt + (words.length / microphoneRate) * 1000;
        samples.set(words);
        saying.position += words.length;
      }
      await microphone.play(samples);
      if (saying && saying.position >= saying.samples.length) this.#finish(saying);
    }
  }

  #finish({ from, until, said }: Saying): void {
    this.#saying = undefined;
    setTimeout(() => said.resolve({ from, until }), Math.max(0, until - performance.now()));
  }

  async #hear(track: RemoteTrack): Promise<void> {
    const options = { sampleRate: microphoneRate, numChannels: 1, frameSizeMs: frameMs };
    for await (const frame of new AudioStream(track, options)) this.recording.add(frame);
  }
}
