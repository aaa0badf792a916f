import type { createAudioAnalyser, LocalAudioTrack, RemoteAudioTrack } from 'livekit-client';

type AudioTrack = LocalAudioTrack | RemoteAudioTrack;

/** A voice nearby fills half of it, a quiet room next to nothing. */
const range = { minDecibels: -80, maxDecibels: -20, smoothingTimeConstant: 0.5 };

/** How loud a track is, by its own sound: what the room server tells of who speaks comes later, and of a voice it tells 0.125 or 0. */
export class Loudness {
  readonly #analyse: typeof createAudioAnalyser;
  #analyser: ReturnType<typeof createAudioAnalyser> | undefined;

  constructor(analyse: typeof createAudioAnalyser) {
    this.#analyse = analyse;
  }

  /** From 0 to 1; 0 without a track. */
  get now(): number {
    return this.#analyser?.calculateVolume() ?? 0;
  }

  /** Measures this one from now on; undefined: none. */
  of(track: AudioTrack | undefined): void {
    void this.#analyser?.cleanup();
    this.#analyser = track && this.#analyse(track, range);
  }
}
