import { isFiller } from '../../../contract/filler-key.ts';
import type { Draft, Position } from '../../../store/tables/messages.ts';
import type { Doubt } from '../history.ts';
import type { Output } from '../output.ts';
import type { Outputs, PositionToBe } from './outputs.ts';
import { personBackWithinMs } from './turns.ts';

export interface RepeatingParts {
  outputs: Outputs;
  isSpoken: () => boolean;
  /** Whether the person's client has all that was written, as far as can be told within `withinMs`. */
  arrived: (withinMs: number) => Promise<boolean>;
  /** Keeps, or with null forgets, that these words may not have arrived. */
  keepDoubt: (position: Position, draft: Draft | null) => Promise<void>;
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
  /** What is being said again, by segment. */
  readonly #again = new Set<string>();

  constructor(parts: RepeatingParts) {
    this.#parts = parts;
  }

  /** What a former host said, and nobody knows to have arrived. What is begun after it comes after it. */
  sayAgain(doubts: readonly Doubt[]): void {
    if (!this.#parts.isSpoken()) for (const doubt of doubts) void this.#sayDoubt(doubt);
  }

  /**
   * To a person who comes into the room again: what they may not have seen, and from its beginning what is being said. `byAnother`: with
   * another client than before, for certain.
   */
  toWhoCame(byAnother: boolean): void {
    const { outputs, isSpoken } = this.#parts;
    if (isSpoken()) return;
    if (byAnother) outputs.doubtArrival();
    for (const { position, draft } of outputs.unseen(byAnother)) void this.#sayAgain(position, draft);
  }

  /** Of what was said just now. Resolves when it has arrived, was said often enough, or nothing more is said. */
  async untilArrived(output: Output): Promise<void> {
    this.#again.add(output.segment);
    await this.#untilArrived(output).finally(() => this.#again.delete(output.segment));
  }

  async #untilArrived(output: Output): Promise<void> {
    for (let said = 1; said < mostTimes; said += 1) {
      if (await this.#parts.arrived(keptByRoomServerMs)) return;
      output.interrupted();
      if (!(await output.repeatIfBroken(personBackWithinMs))) return;
    }
  }

  async #sayDoubt({ position, draft }: Doubt): Promise<void> {
    await this.#sayAgain('turn' in position ? { turn: Promise.resolve(position.turn) } : position, draft);
    await this.#parts.keepDoubt(position, null);
  }

  async #sayAgain(position: PositionToBe, { segment, content }: Draft): Promise<void> {
    const { outputs, onFault } = this.#parts;
    if (this.#again.has(segment)) return;
    this.#again.add(segment);
    try {
      const output = outputs.open(segment, position, {
        segment,
        isFiller: 'key' in position && isFiller(position.key),
      });
      void output.captureText(content);
      await output.end();
      if (await output.repeatIfBroken(personBackWithinMs)) await this.#untilArrived(output);
    } catch (error) {
      onFault(error);
    }
    outputs.close(segment);
    this.#again.delete(segment);
  }
}
