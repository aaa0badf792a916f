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
import { bestEffort } from '../../process/best-effort.ts';
import { within } from '../../process/within.ts';

export interface SoundTrackOptions {
  name: string;
  /** Samples a second. */
  rate: number;
  /** What is handed over ahead of being sent; more waits. */
  queueMs: number;
  /** Whether silence is left out of what is sent, as it is by default. */
  dtx?: boolean;
}

/** The native layer takes a frame when the queue has room for it, which is at once when it was cleared. */
const takenWithinMs = 1_000;

/** Sound on its way into a room: a track that one participant publishes, and the queue of what is about to be sent. 16 bit, mono. */
export class SoundTrack {
  readonly publication: LocalTrackPublication;
  readonly #source: AudioSource;
  readonly #track: LocalAudioTrack;
  #taken: Promise<void> = Promise.resolve();

  private constructor(source: AudioSource, track: LocalAudioTrack, publication: LocalTrackPublication) {
    this.#source = source;
    this.#track = track;
    this.publication = publication;
  }

  /** @throws when this connection is not in the room */
  static async publish(room: Room, { name, rate, queueMs, dtx }: SoundTrackOptions): Promise<SoundTrack> {
    if (!room.localParticipant) throw new Error('this connection is not in the room');
    const source = new AudioSource(rate, 1, queueMs);
    const track = LocalAudioTrack.createAudioTrack(name, source);
    const options = new TrackPublishOptions({
      source: TrackSource.SOURCE_MICROPHONE,
      ...(dtx === undefined ? {} : { dtx }),
    });
    return new SoundTrack(source, track, await room.localParticipant.publishTrack(track, options));
  }

  /** Resolves when the queue has taken the samples. */
  play(samples: Int16Array): Promise<void> {
    const { sampleRate } = this.#source;
    this.#taken = this.#source.captureFrame(new AudioFrame(samples, sampleRate, 1, samples.length));
    return this.#taken;
  }

  /** How much of what was played is not sent yet. */
  get queuedMs(): number {
    return this.#source.queuedDuration;
  }

  /** What is queued is never sent. */
  clear(): void {
    this.#source.clearQueue();
  }

  /**
   * To be called after the room was left. The queue must be empty by then: the native layer (rtc-node 0.13.35) frees a source's
   * queue before it stops the thread that sends from it every 10 ms. Closed with sound in the queue, a source ended the process
   * within 15 s of closing them in a loop (SIGSEGV, or a corrupted heap); with a cleared one 24 000 closings did not.
   */
  async close(): Promise<void> {
    this.clear();
    // What was being taken would come after the silence.
    await bestEffort('what the room never takes is cleared below', within(takenWithinMs, 'the room', this.#taken));
    this.clear();
    await this.#track.close();
  }
}
