import './quiet-native-layer.ts';
import { type AudioFrame, AudioStream, type RemoteTrack, type RemoteTrackPublication } from '@livekit/rtc-node';
import { bestEffort } from '../../process/best-effort.ts';
import { ifLate, within } from '../../process/within.ts';

/** Samples a second of what is heard: what voice detection and recognition are made for. */
export const microphoneRate = 16_000;
/**
 * One window of voice detection, which would otherwise wait for the next frame. Longer frames cost fewer crossings into
 * JavaScript: with 40 ms a session costs a quarter less than with 10.
 */
const frameMs = 32;
/** What is asked of a room server just before it takes us back may be lost: one in six after its restart. */
const askAgainMs = 500;
const askTimes = 20;

/** A person's microphone. Nothing of it is received before somebody listens. */
export class Microphone {
  readonly identity: string;
  readonly trackSid: string;
  readonly #publication: RemoteTrackPublication;
  readonly #received = Promise.withResolvers<RemoteTrack>();
  readonly #gone = Promise.withResolvers<void>();
  #isGone = false;
  #frames: ReadableStream<AudioFrame> | undefined;

  constructor(identity: string, publication: RemoteTrackPublication) {
    this.identity = identity;
    this.trackSid = publication.sid ?? '';
    this.#publication = publication;
  }

  /** Resolves when the person has taken it away, or is gone. */
  get gone(): Promise<void> {
    return this.#gone.promise;
  }

  /** What it hears from now on: mono, `microphoneRate`. Ends with the track. */
  async listen(): Promise<ReadableStream<AudioFrame>> {
    void bestEffort('its publication may be gone in this very moment', this.#subscribe());
    const track = this.#publication.track ?? (await this.#received.promise);
    const options = { sampleRate: microphoneRate, numChannels: 1, frameSizeMs: frameMs };
    this.#frames = new AudioStream(track as RemoteTrack, options) as unknown as ReadableStream<AudioFrame>;
    return this.#frames;
  }

  /** Called by the room: the subscription has come to be. */
  onReceived(track: RemoteTrack): void {
    this.#received.resolve(track);
  }

  onGone(): void {
    this.#isGone = true;
    this.#gone.resolve();
  }

  async #subscribe(): Promise<void> {
    const received = this.#received.promise.then(() => true);
    for (let asked = 0; asked < askTimes && !this.#isGone && !this.#publication.track; asked += 1) {
      this.#publication.setSubscribed(true);
      if (await within(askAgainMs, 'a subscription', received).catch(ifLate(false))) return;
    }
  }
}
