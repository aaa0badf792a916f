import { type Room, RoomEvent } from '@livekit/rtc-node';
import { ifLate, within } from '../../process/within.ts';
import { SoundTrack } from './sound-track.ts';

/** Samples a second of all that the agent says: what most voices are made in. */
export const speakerRate = 24_000;
/** What is handed over ahead of being heard. Short: it is all that has to be taken back when the person speaks. */
const queueMs = 200;
/** A person whose client takes no sound is spoken to all the same: there are captions. */
const listenedToWithinMs = 2_000;
/** After the connection was lost, a person who has heard the agent before takes longer: their client tries again and again. */
const listenedToAgainWithinMs = 15_000;

/** The agent's voice in one room: a track, and the short queue of sound that is about to be heard. */
export class Speaker {
  readonly #track: SoundTrack;
  #listenedTo: Promise<void> | undefined;
  #wasListenedTo = false;

  private constructor(room: Room, track: SoundTrack) {
    this.#track = track;
    // The room server came back and knows another track now, which everybody has to find again.
    room.on(RoomEvent.LocalTrackRepublished, () => {
      const again = new Promise<void>((resolve) => room.once(RoomEvent.LocalTrackSubscribed, () => resolve()));
      this.#listenedTo = this.#firstListener(again);
    });
  }

  /** @throws when this connection is not in the room */
  static async publish(room: Room): Promise<Speaker> {
    return new Speaker(room, await SoundTrack.publish(room, { name: 'agent', rate: speakerRate, queueMs }));
  }

  /** Resolves when somebody hears this track, or after a while: what is said before is lost. */
  listenedTo(): Promise<void> {
    this.#listenedTo ??= this.#firstListener(this.#track.publication.waitForSubscription());
    return this.#listenedTo;
  }

  /** Resolves when the queue has taken the samples (16 bit, mono, `speakerRate`). */
  play(samples: Int16Array): Promise<void> {
    return this.#track.play(samples);
  }

  /** How much of what was played is not heard yet. */
  get queuedMs(): number {
    return this.#track.queuedMs;
  }

  /** Silence, now: what is queued is never heard. */
  clear(): void {
    this.#track.clear();
  }

  async close(): Promise<void> {
    await this.#track.close();
  }

  async #firstListener(listener: Promise<void>): Promise<void> {
    const withinMs = this.#wasListenedTo ? listenedToAgainWithinMs : listenedToWithinMs;
    const came = listener.then(() => true);
    this.#wasListenedTo = await within(withinMs, 'a listener', came).catch(ifLate(false));
  }
}
