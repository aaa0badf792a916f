import type { Draft, Place } from '../../../store/tables/messages.ts';
import type { Doubt } from '../history.ts';
import type { Output } from '../output.ts';
import type { Outputs } from './outputs.ts';
import { personBackWithinMs } from './turns.ts';

export interface RepeatingParts {
  outputs: Outputs;
  isSpoken: () => boolean;
  /** Whether the person's client has all that was written, as far as can be told within `withinMs`. */
  arrived: (withinMs: number) => Promise<boolean>;
  /** Keeps, or with null forgets, that these words may not have arrived. */
  keepDoubt: (place: Place, draft: Draft | null) => Promise<void>;
  onFault: (error: unknown) => void;
}

/**
 * Who is told something may still be coming in. What is said to them meanwhile a room server 1.13.5 keeps for so long (dataMessageCacheTTL in its
 * pkg/rtc/room.go), and behind a firewall that drops UDP, or on a slow telephone network, they take longer than that.
 */
const keptByRoomServerMs = 2_000;
/** Whoever has not come in by then comes anew. */
const mostTimes = 5;

/** What was written is said again under its name, by which a screen replaces it, until the person's client has it. */
export class Repeating {
  readonly #parts: RepeatingParts;

  constructor(parts: RepeatingParts) {
    this.#parts = parts;
  }

  /** What a former host said, and nobody knows to have arrived. What is begun after it comes after it. */
  sayAgain(doubts: readonly Doubt[]): void {
    if (!this.#parts.isSpoken()) for (const doubt of doubts) void this.#sayAgain(doubt);
  }

  /** Of what was said just now. Resolves when it has arrived, was said often enough, or nothing more is said. */
  async untilArrived(output: Output): Promise<void> {
    for (let said = 1; said < mostTimes; said += 1) {
      if (await this.#parts.arrived(keptByRoomServerMs)) return;
      output.interrupted();
      if (!(await output.repeatIfBroken(personBackWithinMs))) return;
    }
  }

  async #sayAgain({ place, draft }: Doubt): Promise<void> {
    const { outputs, keepDoubt, onFault } = this.#parts;
    const { segment, content } = draft;
    try {
      const output = outputs.open(segment, inTranscript(place), segment);
      void output.captureText(content);
      await output.end();
      if (await output.repeatIfBroken(personBackWithinMs)) await this.untilArrived(output);
    } catch (error) {
      onFault(error);
    }
    outputs.close(segment);
    await keepDoubt(place, null);
  }
}

const inTranscript = (place: Place) => ('turn' in place ? { turn: Promise.resolve(place.turn) } : place);
