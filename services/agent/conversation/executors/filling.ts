import type { CompiledFiller } from '../../../agent-files/definition/compiled.ts';
import { inLanguage } from '../language.ts';
import type { Loaded } from '../loading.ts';
import type { TurnEffect } from '../state/effect.ts';
import type { SpeechFact } from '../state/fact.ts';

export interface FillingParts {
  post: (fact: SpeechFact) => void;
  loaded: Loaded;
  /** Whether what the agent says is heard. */
  isSpoken: () => boolean;
  /** One model hears, thinks and speaks: it says itself what it is about to do. */
  speaksByItself: () => boolean;
  /** Nobody has filled the silence after this yet. */
  isAwaited: (utterance: string) => boolean;
  /** When words of the current turn were written last, on the monotonic clock. */
  lastWordAt: () => number | undefined;
}

/**
 * After the person's last sound an agent with a filler is not silent for longer, whoever is late: with the first sound of a voice, which
 * takes up to half a second, it is heard within 2 s. A filler that is to come later does.
 */
const unansweredMs = 1_200;
/** The same where there are words and their sound is late. The filler's own is there, and takes a moment on its way. */
const unheardMs = 1_700;

/** What the agent's file has for those who wait, and when they have waited for so long. */
export class Filling {
  readonly #parts: FillingParts;

  constructor(parts: FillingParts) {
    this.#parts = parts;
  }

  /** As the conversation is held now, in its language; empty where the agent has nothing for it. */
  get line(): string {
    return this.#lineOf(this.#filler);
  }

  /** What is said, whose sound is made ahead. */
  get spokenLine(): string {
    return this.#lineOf(this.#parts.loaded.definition.speech?.filler);
  }

  /** → `filler_due`, and after the person's last sound `sound_overdue` */
  time({ utterance, since }: Extract<TurnEffect, { kind: 'time_filler' }>): void {
    const filler = this.#filler;
    if (!filler) return;
    const { afterMs } = filler;
    if (!this.#parts.isSpoken()) return this.#untilQuiet(utterance, afterMs, performance.now());
    const inMs = since === 'begun' ? afterMs : Math.max(afterMs, unansweredMs) - since.ended;
    this.#postIn(inMs, { kind: 'filler_due', utterance });
    if (since === 'begun') return;
    this.#postIn(Math.max(afterMs, unheardMs) - since.ended, { kind: 'sound_overdue', utterance });
  }

  /** While a tool takes long the person hears that somebody is there. */
  async whileAtWork<Result>(work: Promise<Result>, interject: (line: string) => void): Promise<Result> {
    const { isSpoken, speaksByItself } = this.#parts;
    const filler = this.#filler;
    if (!filler || !isSpoken() || speaksByItself()) return work;
    const timer = setTimeout(() => interject(this.#lineOf(filler)), filler.afterMs);
    return work.finally(() => clearTimeout(timer));
  }

  /** Whoever reads has something to read as long as words come: what they wait for counts from the last of them. */
  #untilQuiet(utterance: string, afterMs: number, from: number): void {
    const { isAwaited, lastWordAt, post } = this.#parts;
    const look = () => {
      if (!isAwaited(utterance)) return;
      const quietSince = Math.max(from, lastWordAt() ?? from);
      if (performance.now() - quietSince < afterMs - timersAreEarlyByMs)
        this.#untilQuiet(utterance, afterMs, quietSince);
      else post({ kind: 'filler_due', utterance });
    };
    setTimeout(look, Math.max(0, from + afterMs - performance.now())).unref();
  }

  #postIn(inMs: number, fact: SpeechFact): void {
    setTimeout(() => this.#parts.post(fact), Math.max(0, inMs)).unref();
  }

  get #filler(): CompiledFiller | undefined {
    const { definition } = this.#parts.loaded;
    return this.#parts.isSpoken() ? definition.speech?.filler : definition.filler;
  }

  #lineOf(filler: CompiledFiller | undefined): string {
    return inLanguage(filler?.say ?? {}, this.#parts.loaded.session.language);
  }
}

const timersAreEarlyByMs = 2;
