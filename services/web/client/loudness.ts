import type { createAudioAnalyser, LocalAudioTrack, RemoteAudioTrack } from 'livekit-client';
import { touched } from './touched.ts';

type AudioTrack = LocalAudioTrack | RemoteAudioTrack;

/** A voice nearby fills half of it, a quiet room next to nothing. */
const range = { minDecibels: -80, maxDecibels: -20, smoothingTimeConstant: 0.5 };

/** How loud a track is, by its own sound: what the room server tells of who speaks comes later, and of a voice it tells 0.125 or 0. */
export class Loudness {
  readonly #analyse: typeof createAudioAnalyser;
  #track: AudioTrack | undefined;
  #analyser: ReturnType<typeof createAudioAnalyser> | undefined;

  constructor(analyse: typeof createAudioAnalyser) {
    this.#analyse = analyse;
  }

  /** From 0 to 1; 0 without a track, and until the person has touched the page, which may hear nothing before. */
  get now(): number {
    if (this.#track && !this.#analyser && touched()) this.#analyser = this.#analyse(this.#track, range);
    return this.#analyser?.calculateVolume() ?? 0;
  }

  /** Measures this one from now on; undefined: none. */
  of(track: AudioTrack | undefined): void {
    void this.#analyser?.cleanup();
    this.#analyser = undefined;
    this.#track = track;
  }
}
