import './quiet-native-layer.ts';
import {
  AudioFrame,
  AudioSource,
  LocalAudioTrack,
  type LocalTrackPublication,
  type Room,
  TrackPublishOptions,
  TrackSource,
} from '@livekit/rtc-node';

/** Samples a second of all that the agent says: what most voices are made in. */
export const speakerRate = 24_000;
/** What is handed over ahead of being heard. Short: it is all that has to be taken back when the person speaks. */
const queueMs = 200;
/** A person whose client takes no sound is spoken to all the same: there are captions. */
const listenedToWithinMs = 2_000;

/** The agent's voice in one room: a track, and the short queue of sound that is about to be heard. */
export class Speaker {
  readonly #source: AudioSource;
  readonly #publication: LocalTrackPublication;
  #listenedTo: Promise<void> | undefined;

  private constructor(source: AudioSource, publication: LocalTrackPublication) {
    this.#source = source;
    this.#publication = publication;
  }

  /** @throws when this connection is not in the room */
  static async publish(room: Room): Promise<Speaker> {
    if (!room.localParticipant) throw new Error('the agent is not in the room');
    const source = new AudioSource(speakerRate, 1, queueMs);
    const track = LocalAudioTrack.createAudioTrack('agent', source);
    const options = new TrackPublishOptions({ source: TrackSource.SOURCE_MICROPHONE });
    return new Speaker(source, await room.localParticipant.publishTrack(track, options));
  }

  /** Resolves when somebody hears this track, or after a while: what is said before is lost. */
  listenedTo(): Promise<void> {
    this.#listenedTo ??= this.#firstListener();
    return this.#listenedTo;
  }

  /** Resolves when the queue has taken the samples (16 bit, mono, `speakerRate`). */
  play(samples: Int16Array): Promise<void> {
    return this.#source.captureFrame(new AudioFrame(samples, speakerRate, 1, samples.length));
  }

  /** How much of what was played is not heard yet. */
  get queuedMs(): number {
    return this.#source.queuedDuration;
  }

  /** Silence, now: what is queued is never heard. */
  clear(): void {
    this.#source.clearQueue();
  }

  async close(): Promise<void> {
    await this.#source.close();
  }

  async #firstListener(): Promise<void> {
    const late = Promise.withResolvers<void>();
    const timer = setTimeout(late.resolve, listenedToWithinMs);
    await Promise.race([this.#publication.waitForSubscription(), late.promise]);
    clearTimeout(timer);
  }
}
