import { speakerRate } from '../../room/speaker.ts';

const samplesPerMs = speakerRate / 1000;

/** The sound of one reply as it is made: what was not heard yet stays here, since the person may make the agent pause. */
export class Sound {
  #pieces: Int16Array[] = [];
  /** Of the first piece that is still kept. */
  #startMs = 0;
  #endMs = 0;
  #whole = false;
  #changed = Promise.withResolvers<void>();

  get ms(): number {
    return this.#endMs;
  }

  /** Nothing follows. */
  get whole(): boolean {
    return this.#whole;
  }

  /** Resolves with the next piece, or when nothing follows. */
  get more(): Promise<void> {
    return this.#changed.promise;
  }

  add(samples: Int16Array): void {
    if (samples.length === 0) return;
    this.#pieces.push(samples);
    this.#endMs += samples.length / samplesPerMs;
    this.#tell();
  }

  end(): void {
    this.#whole = true;
    this.#tell();
  }

  /** Up to `ms` of sound from `fromMs` on; undefined where there is none yet. */
  read(fromMs: number, ms: number): Int16Array | undefined {
    let startMs = this.#startMs;
    for (const piece of this.#pieces) {
      const endMs = startMs + piece.length / samplesPerMs;
      if (endMs - fromMs >= 1) {
        const from = Math.max(0, Math.round((fromMs - startMs) * samplesPerMs));
        return piece.slice(from, from + Math.round(ms * samplesPerMs));
      }
      startMs = endMs;
    }
    return undefined;
  }

  /** What was heard before `ms` is not asked for again. */
  forgetBefore(ms: number): void {
    for (;;) {
      const [first] = this.#pieces;
      const endMs = this.#startMs + (first?.length ?? 0) / samplesPerMs;
      if (!first || endMs > ms) return;
      this.#pieces.shift();
      this.#startMs = endMs;
    }
  }

  #tell(): void {
    this.#changed.resolve();
    this.#changed = Promise.withResolvers<void>();
  }
}
