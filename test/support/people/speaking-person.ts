import '../../../services/agent/room/quiet-native-layer.ts';
import { AudioStream, type RemoteTrack, Room, RoomEvent, TrackKind } from '@livekit/rtc-node';
import { SoundTrack } from '../../../services/agent/room/sound-track.ts';
import { eventually } from '../eventually.ts';
import { joined, microphoneRate } from './speech-sound.ts';

export interface Caption {
  identity: string;
  segmentId: string;
  isFinal: boolean;
  text: string;
  beganAt: number;
  endedAt: number | undefined;
}

/** A stretch in which the agent was heard; monotonic milliseconds. */
export interface HeardSound {
  from: number;
  to: number;
}

const frameMs = 20;
const frameSamples = (microphoneRate * frameMs) / 1000;
/** The longest that is said at once. What is said is handed over whole: a busy test must not make its person stutter. */
const longestMs = 60_000;
/** Silence is handed over so far ahead. */
const leadMs = 60;
/** Quieter than this is silence. */
const loud = 150;
/** A person who is not answered says it so many times. */
const mostTimes = 4;
/** A microphone that nobody listens to yet swallows the first words, and in some sessions nobody ever will. */
const listenedToWithinMs = 2_000;
/** Shorter gaps are within a word. */
const gapMs = 250;

/** A person with a microphone, by the room server's own client: speaks, hears the agent, and reads the captions. */
export class SpeakingPerson implements AsyncDisposable {
  readonly room = new Room();
  readonly captions: Caption[] = [];
  /** When the agent's sound was heard. */
  readonly sounds: HeardSound[] = [];
  /** All that was heard of the agent. */
  readonly #recorded: { at: number; samples: Int16Array }[] = [];
  #microphone: SoundTrack | undefined;
  #sending: Promise<void> | undefined;
  #queue: { samples: Int16Array; said: () => void }[] = [];
  #left = false;
  /** When the person spoke last, to the end of the sound. */
  spokeUntil = 0;
  spokeFrom = 0;
  disconnectedBecause: number | undefined;

  static async join(
    connection: { wsUrl: string; token: string },
    { microphone = true }: { microphone?: boolean } = {},
  ): Promise<SpeakingPerson> {
    const person = new SpeakingPerson();
    person.#listen();
    await person.room.connect(connection.wsUrl, connection.token, { autoSubscribe: true, dynacast: false });
    if (microphone) await person.takeMicrophone();
    return person;
  }

  async takeMicrophone(): Promise<void> {
    const microphone = await SoundTrack.publish(this.room, {
      name: 'microphone',
      rate: microphoneRate,
      queueMs: longestMs,
    });
    this.#microphone = microphone;
    this.#sending = this.#send(microphone);
    const late = new Promise<void>((resolve) => setTimeout(resolve, listenedToWithinMs));
    await Promise.race([microphone.publication.waitForSubscription(), late]);
  }

  /** Speaks; resolves when the last sample was sent. */
  say(samples: Int16Array): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#queue.push({ samples, said: resolve });
    return promise;
  }

  /** Says it, and again when it is not answered: while one host takes over from another, nobody listens for half a second. */
  async sayUntilAnswered(samples: Int16Array, answer: RegExp): Promise<void> {
    const from = this.captions.length;
    for (let left = mostTimes; left > 0; left -= 1) {
      await this.say(samples);
      const answered = await this.reads(answer, { from, withinMs: 10_000 }).catch((error: Error) => error);
      if (!(answered instanceof Error)) return;
      if (left === 1) throw answered;
    }
  }

  async write(text: string): Promise<void> {
    await this.room.localParticipant?.sendText(text, { topic: 'lk.chat' });
  }

  /** Finished captions of one participant, in the order they began. */
  captionsOf(identity: string, { final = false } = {}): string[] {
    return this.captions
      .filter((caption) => caption.identity === identity && caption.endedAt !== undefined)
      .filter((caption) => !final || caption.isFinal)
      .map(({ text }) => text);
  }

  /** The agent's next finished caption that matches, from index `from` of all captions on. */
  reads(pattern: RegExp, { from = 0, identity = 'agent', withinMs = 60_000 } = {}): Promise<Caption> {
    return eventually(
      `${identity}'s words match ${pattern}`,
      () =>
        this.captions
          .slice(from)
          .find((c) => c.identity === identity && c.endedAt !== undefined && pattern.test(c.text)),
      { withinMs, everyMs: 5 },
    ).catch((error: Error) => {
      throw new Error(`${error.message}; captions: ${JSON.stringify(this.captions.map((c) => [c.identity, c.text]))}`);
    });
  }

  /** Resolves when the agent is being heard, or has been since `since`. */
  hearsSound({ since = performance.now() }: { since?: number } = {}): Promise<HeardSound> {
    return eventually('the agent is heard', () => this.sounds.findLast((sound) => sound.to > since), { everyMs: 5 });
  }

  /** Resolves when the agent has been silent for `ms`. */
  hearsSilence(ms = 600): Promise<void> {
    return eventually(
      'the agent is silent',
      () => performance.now() - (this.sounds.at(-1)?.to ?? 0) > ms || undefined,
      { everyMs: 5, withinMs: 60_000 },
    ).then(() => undefined);
  }

  /** Says how the conversation is to be held. */
  async wants(mode: 'text' | 'voice'): Promise<void> {
    await this.room.localParticipant?.setAttributes({ 'parley.mode': mode });
  }

  /** How it is held, by the agent. */
  get agentMode(): string | undefined {
    return [...this.room.remoteParticipants.values()].find(({ identity }) => identity === 'agent')?.attributes[
      'parley.mode'
    ];
  }

  /** What the agent shows that it is doing. */
  get agentState(): string | undefined {
    return [...this.room.remoteParticipants.values()]
      .map(({ attributes }) => attributes['lk.agent.state'])
      .find((state) => state !== undefined);
  }

  /** Resolves when another agent than the one that is here now has taken its place. */
  meetsAnotherAgent(): Promise<void> {
    const sidOfAgent = () =>
      [...this.room.remoteParticipants.values()].find(({ identity }) => identity === 'agent')?.sid;
    const before = sidOfAgent();
    return eventually('another agent is there', () => ![undefined, before].includes(sidOfAgent()), {
      withinMs: 60_000,
    }).then(() => undefined);
  }

  get isHearing(): boolean {
    return performance.now() - (this.sounds.at(-1)?.to ?? 0) < gapMs;
  }

  /** What was heard of the agent between two moments. */
  recording(from: number, to: number): Int16Array {
    return joined(...this.#recorded.filter(({ at }) => at >= from && at <= to).map(({ samples }) => samples));
  }

  async leave(): Promise<void> {
    this.#left = true;
    await this.#sending;
    await this.room.disconnect();
    await this.#microphone?.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.leave().catch(() => undefined);
  }

  /** A microphone is never silent in the sense of sending nothing. */
  async #send(microphone: SoundTrack): Promise<void> {
    while (!this.#left) {
      const next = this.#queue.shift();
      if (next) await this.#speak(microphone, next.samples).then(next.said);
      else await microphone.play(new Int16Array(frameSamples));
      await this.#sent(microphone);
    }
  }

  async #speak(microphone: SoundTrack, samples: Int16Array): Promise<void> {
    this.spokeFrom = performance.now() + microphone.queuedMs;
    await microphone.play(samples);
    await this.#sent(microphone);
    this.spokeUntil = performance.now() + microphone.queuedMs;
  }

  async #sent(microphone: SoundTrack): Promise<void> {
    while (!this.#left && microphone.queuedMs > leadMs) {
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }

  #listen(): void {
    this.room.on(RoomEvent.Disconnected, (reason) => {
      this.disconnectedBecause = reason;
    });
    this.room.on(RoomEvent.TrackSubscribed, (track: RemoteTrack) => {
      if (track.kind === TrackKind.KIND_AUDIO) void this.#hear(track);
    });
    this.room.registerTextStreamHandler('lk.transcription', async (reader, { identity }) => {
      const attributes = reader.info.attributes ?? {};
      const caption: Caption = {
        identity,
        segmentId: attributes['lk.segment_id'] ?? '',
        isFinal: attributes['lk.transcription_final'] === 'true',
        text: '',
        beganAt: performance.now(),
        endedAt: undefined,
      };
      this.captions.push(caption);
      try {
        for await (const chunk of reader) caption.text += chunk;
        caption.endedAt = performance.now();
      } catch {
        // Its speaker died in the middle.
      }
    });
  }

  async #hear(track: RemoteTrack): Promise<void> {
    for await (const frame of new AudioStream(track, {
      sampleRate: microphoneRate,
      numChannels: 1,
      frameSizeMs: frameMs,
    })) {
      const now = performance.now();
      this.#recorded.push({ at: now, samples: frame.data });
      if (rms(frame.data) < loud) continue;
      const last = this.sounds.at(-1);
      if (last && now - last.to < gapMs) last.to = now;
      else this.sounds.push({ from: now, to: now });
    }
  }
}

const rms = (samples: Int16Array) =>
  Math.sqrt(samples.reduce((sum, sample) => sum + sample * sample, 0) / samples.length);
