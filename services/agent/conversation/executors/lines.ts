import type { CompiledLanguage } from '../../../agent-files/definition/compiled.ts';
import { builtInLines } from '../../../agent-files/definition/lines.ts';
import type { Output } from '../output.ts';
import type { LineWords, TurnEffect } from '../state/effect.ts';
import type { TurnFact } from '../state/fact.ts';
import type { Transcript } from '../transcript.ts';
import type { Model } from './model.ts';
import type { Outputs } from './outputs.ts';
import { personBackWithinMs } from './turns.ts';

export interface LinesParts {
  post: (fact: TurnFact) => void;
  outputs: Outputs;
  model: Model;
  transcript: Transcript;
  language: () => CompiledLanguage;
  /** The agent's own, in the session's language. */
  filler: () => string;
  /** Whether the person's client has all that was written, as far as can be told within `withinMs`. */
  arrived: (withinMs: number) => Promise<boolean>;
  onFault: (error: unknown) => void;
}

/**
 * Who is greeted is still coming in. What is said to them meanwhile a room server 1.13.5 keeps for so long (dataMessageCacheTTL in its
 * pkg/rtc/room.go), and behind a firewall that drops UDP, or on a slow telephone network, they take longer than that.
 */
const keptByRoomServerMs = 2_000;
/** Whoever has not come in by then comes anew. */
const mostGreetings = 5;

type Saying = Extract<TurnEffect, { kind: 'say' }>;

/** Lines of the service itself, beside the model's turns; the model is told that they were said. */
export class Lines {
  readonly #parts: LinesParts;

  constructor(parts: LinesParts) {
    this.#parts = parts;
  }

  async say({ line, words, key }: Saying): Promise<void> {
    const { post, outputs, onFault } = this.#parts;
    const output = outputs.open(line);
    let whole = false;
    try {
      void output.captureText(this.#textOf(words));
      await output.end();
      this.#store(await output.take(), { key, mode: output.mode, interrupted: output.cut });
      whole = await output.repeatIfBroken(personBackWithinMs);
    } catch (error) {
      onFault(error);
    }
    outputs.saidAll(line);
    post({ kind: 'told', output: line, cut: output.cut, hasWords: output.hasWords, whole });
    if (words === 'greeting' && whole) await this.#greetAgain(output).catch(onFault);
    outputs.close(line);
  }

  /** Until the person's client has it: a written greeting is said again under its name, by which a screen replaces it. */
  async #greetAgain(output: Output): Promise<void> {
    if (output.mode !== 'TEXT') return;
    for (let said = 1; said < mostGreetings; said += 1) {
      if (await this.#parts.arrived(keptByRoomServerMs)) return;
      output.interrupted();
      if (!(await output.repeatIfBroken(personBackWithinMs))) return;
    }
  }

  #store(said: string, line: Parameters<Transcript['line']>[1]): void {
    if (!said) return;
    void this.#parts.transcript.line(said, line);
    this.#parts.model.remember(said);
  }

  #textOf(words: LineWords): string {
    if (typeof words === 'object') return words.text;
    if (words === 'filler') return this.#parts.filler();
    const { code, greeting, lines } = this.#parts.language();
    return words === 'greeting' ? (greeting ?? '') : (lines[words] ?? builtInLines(code)[words]);
  }
}
