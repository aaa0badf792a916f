import type { CompiledLimits } from '../../agent-files/definition/compiled.ts';

export type Admission = 'accepted' | 'refused_with_a_line' | 'refused_in_silence';

/**
 * How much a person may write: so many texts waiting, so many a minute; then one polite line and silence until there is
 * room again (docs/call/room.md).
 */
export class TextIntake {
  readonly #limits: Pick<CompiledLimits, 'textsWaiting' | 'textsPerMinute'>;
  readonly #now: () => number;
  #accepted: number[] = [];
  #toldAlready = false;

  constructor(
    limits: Pick<CompiledLimits, 'textsWaiting' | 'textsPerMinute'>,
    now: () => number = () => performance.now(),
  ) {
    this.#limits = limits;
    this.#now = now;
  }

  admit(waiting: number): Admission {
    const now = this.#now();
    this.#accepted = this.#accepted.filter((at) => now - at < 60_000);
    if (waiting < this.#limits.textsWaiting && this.#accepted.length < this.#limits.textsPerMinute) {
      this.#accepted.push(now);
      this.#toldAlready = false;
      return 'accepted';
    }
    if (this.#toldAlready) return 'refused_in_silence';
    this.#toldAlready = true;
    return 'refused_with_a_line';
  }
}
