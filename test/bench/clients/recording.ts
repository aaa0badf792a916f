import type { AudioFrame } from '@livekit/rtc-node';
import { rms } from '../providers/tone.ts';

/** The grain in which sound is told from silence. */
export const sliceMs = 10;
/** Quieter than this is silence; the provider's tone is never below 1000. */
const loud = 200;
/** Older sound is forgotten. */
const keptSlices = 60_000 / sliceMs;

export interface Slice {
  /** When its last sample was heard, by this process's monotonic clock. */
  at: number;
  loud: boolean;
}

/** What was heard of the agent, slice by slice, as it left the client's jitter buffer. */
export class Recording {
  #slices: Slice[] = [];

  add({ data, sampleRate }: AudioFrame): void {
    const now = performance.now();
    const size = (sampleRate * sliceMs) / 1000;
    for (let from = 0; from + size <= data.length; from += size) {
      const at = now - ((data.length - from - size) / sampleRate) * 1000;
      this.#slices.push({ at, loud: rms(data.subarray(from, from + size)) > loud });
    }
    if (this.#slices.length > 2 * keptSlices) this.#slices = this.#slices.slice(-keptSlices);
  }

  since(at: number): Slice[] {
    return this.#slices.slice(this.#slices.findLastIndex((slice) => slice.at <= at) + 1);
  }

  /** The beginning of the first sound after `at`. */
  firstSoundAfter(at: number): number | undefined {
    const slice = this.since(at).find((later) => later.loud);
    return slice && slice.at - sliceMs;
  }

  /** How long it has been loud without a gap longer than `gapMs`, until now. */
  loudForMs(gapMs: number): number {
    let from: number | undefined;
    for (let index = this.#slices.length - 1; index >= 0; index -= 1) {
      const slice = this.#slices[index];
      if (!slice || (from ?? performance.now()) - slice.at > gapMs) break;
      if (slice.loud) from = slice.at - sliceMs;
    }
    return from === undefined ? 0 : performance.now() - from;
  }

  /** The longest silence between two sounds after `at`, in the recording's own samples; the silence after the last sound is none. */
  longestGapMs(at: number): number {
    let longest = 0;
    let gap = 0;
    for (const slice of this.since(at)) {
      if (slice.loud) {
        longest = Math.max(longest, gap);
        gap = 0;
      } else gap += sliceMs;
    }
    return longest;
  }

  /** When it fell silent for at least `ms` after `at`; undefined when it has not yet. */
  silentSince(at: number, ms: number): number | undefined {
    let last = at;
    for (const slice of this.since(at)) {
      if (slice.loud) last = slice.at;
      else if (slice.at - last >= ms) return last;
    }
    return undefined;
  }
}
