import type { CompiledLanguage } from '../../../agent-files/definition/compiled.ts';
import { builtInLines } from '../../../agent-files/definition/lines.ts';
import { outSinceMs } from '../output.ts';
import type { LineWords, TurnEffect } from '../state/effect.ts';
import type { TurnFact } from '../state/fact.ts';
import type { Transcript } from '../transcript.ts';
import type { Model } from './model.ts';
import type { Outputs } from './outputs.ts';
import type { Repeating } from './repeating.ts';
import { personBackWithinMs } from './turns.ts';

export interface LinesParts {
  post: (fact: TurnFact) => void;
  outputs: Outputs;
  model: Model;
  transcript: Transcript;
  language: () => CompiledLanguage;
  /** The agent's own, in the session's language. */
  filler: () => string;
  repeating: Pick<Repeating, 'untilArrived'>;
  onFault: (error: unknown) => void;
}

type Saying = Extract<TurnEffect, { kind: 'say' }>;

/** Lines of the service itself, beside the model's turns; the model is told that they were said, but for fillers. */
export class Lines {
  readonly #parts: LinesParts;

  constructor(parts: LinesParts) {
    this.#parts = parts;
  }

  async say({ line, words, key }: Saying): Promise<void> {
    const { post, outputs, model, repeating, onFault } = this.#parts;
    const isFiller = words === 'filler';
    const output = outputs.open(line, { key }, { isFiller });
    let whole = false;
    try {
      void output.captureText(this.#textOf(words));
      await output.end();
      const said = await output.take();
      this.#store(said, {
        ...{ key, mode: output.mode, interrupted: output.cut },
        agoMs: outSinceMs(output),
      });
      // A model that reads it as its own would begin its answers with it.
      if (said && !isFiller) model.remember(said);
      whole = await output.repeatIfBroken(personBackWithinMs);
    } catch (error) {
      onFault(error);
    }
    outputs.saidAll(line);
    post({ kind: 'told', output: line, cut: output.cut, hasWords: output.hasWords, whole });
    // A person who is greeted is still coming in.
    if (words === 'greeting' && whole && output.mode === 'TEXT') await repeating.untilArrived(output).catch(onFault);
    outputs.close(line);
  }

  #store(said: string, line: Parameters<Transcript['line']>[1]): void {
    if (said) void this.#parts.transcript.line(said, line);
  }

  #textOf(words: LineWords): string {
    if (typeof words === 'object') return words.text;
    if (words === 'filler') return this.#parts.filler();
    const { code, greeting, lines } = this.#parts.language();
    return words === 'greeting' ? (greeting ?? '') : (lines[words] ?? builtInLines(code)[words]);
  }
}
