import type { InteractionMode, TurnTiming } from '../../../contract/session.ts';
import { sleep } from '../../../process/sleep.ts';
import type { Draft } from '../../../store/tables/messages.ts';
import { type Output, outSinceMs } from '../output.ts';
import { type Resumption, resumptionOf, withoutRepetition } from '../resumption.ts';
import type { Closing, TurnEffect } from '../state/effect.ts';
import type { TurnFact } from '../state/fact.ts';
import type { Thought, WaitingText } from '../state/state.ts';
import type { ToolGuard } from '../tool-guard.ts';
import type { PersonText, Transcript } from '../transcript.ts';
import { timingOf } from '../turn-timing.ts';
import { KeptDraft } from './draft.ts';
import type { Model } from './model.ts';
import type { Out, Outputs } from './outputs.ts';

export interface TurnsParts {
  post: (fact: TurnFact) => void;
  outputs: Outputs;
  model: Model;
  guard: ToolGuard;
  transcript: Transcript;
  /** Whether the person's client has all that was written, as far as can be told within `withinMs`. */
  arrived: (withinMs: number) => Promise<boolean>;
  /** Keeps what is being said for the host that may have to go on from it. */
  keepDraft: (turn: number, draft: Draft | null) => Promise<unknown>;
  /** Whether words of a former host can be said here: not by a model that speaks by itself. */
  resumes: () => boolean;
  /** What the person hears when an answer takes long. */
  filler: () => string;
  onTokens: (tokens: number) => void;
  onTurn: (mode: InteractionMode, timing: TurnTiming) => void;
  onFault: (error: unknown) => void;
}

interface Turn {
  turn: number;
  text: WaitingText;
  output: Output;
  begunAt: number;
  draft: KeptDraft;
  /** How it goes on from what a former host had begun to say. */
  resumption: Resumption | undefined;
  /** Stored by a former host, and shown again: a screen replaces what has the same name by it. */
  again: string;
  /** What of the model's words is new. */
  newOf: (words: string) => string;
  /** The model has said something. */
  hasWords: boolean;
  /** The last words are a line of the service's; what the model says next follows after a blank. */
  isAnnounced: boolean;
  /** The service has said that it takes a moment: once in a turn. */
  isFilled: boolean;
}

/** Who was away may be back so soon, and hears then what did not arrive. */
export const personBackWithinMs = 15_000;
/**
 * Before a successor takes the place the last words are waited for: on a busy machine the news that the agent left overtook the end of
 * a reply, which the person's client then gave up. So long the person's client may take to say that it has them.
 */
const arrivesWithinMs = 5_000;
/** Words older than this have arrived, or their person is not there. */
const underWayMs = 10_000;
/** How long the last words have to reach the person before the room goes. */
const lingerMs = 700;
/** What is being said when a cap is reached may take so long, so that there is time for the last line (`farewellSeconds`). */
const lastTurnMs = 5_000;
/** A turn that is cut is over within a few milliseconds; the person is not kept waiting for one that is not. */
const cutWithinMs = 1_000;

/** Carries out the turns of a conversation: the model's answer, said while it comes, and stored. */
export class Turns {
  readonly #parts: TurnsParts;
  #current: Turn | undefined;

  constructor(parts: TurnsParts) {
    this.#parts = parts;
  }

  /** The text that is being answered. */
  get current(): PersonText | undefined {
    return this.#current?.text;
  }

  /** Of the current turn. */
  get output(): Output | undefined {
    return this.#current?.output;
  }

  /** What the model says in the current turn, as it says it. */
  words(text: string): void {
    const current = this.#current;
    const news = current?.newOf(text);
    if (!current || !news) return;
    const words = current.isAnnounced ? ` ${news}` : news;
    current.isAnnounced = false;
    current.hasWords = true;
    current.draft.add(words);
    current.output.captureText(words).catch(this.#parts.onFault);
  }

  /** A line of the service in the middle of the turn, once. */
  interject(line: string): void {
    const current = this.#current;
    if (!line || !current || current.isFilled || !current.output.interject(line)) return;
    current.isFilled = true;
    current.draft.add(`${line} `);
  }

  /** A line of the service after what the model has said in this turn; nothing has to be said for it to be heard. */
  announce(line: string): void {
    const current = this.#current;
    if (!line || !current) return;
    const words = current.hasWords ? ` ${line}` : line;
    current.hasWords = true;
    current.isAnnounced = true;
    current.draft.add(words);
    current.output.captureText(words).catch(this.#parts.onFault);
    void current.output.takeBeforeTool().catch(this.#parts.onFault);
  }

  /** What was said before a tool is stored, and no draft any more. */
  saidIsStored(): void {
    this.#current?.draft.restart();
  }

  carryOut(effect: Exclude<TurnEffect, { kind: 'say' | 'take_in' | 'time_filler' }>): void {
    const { post, outputs, model } = this.#parts;
    switch (effect.kind) {
      case 'think':
        return void this.#think(effect);
      case 'fill':
        return this.#fill(effect.turn);
      case 'fill_unheard':
        return this.#fillUnheard(effect.turn);
      case 'tell':
        return void this.#tell(effect.turn);
      case 'ask_arrival':
        return void this.#askArrival(effect.turn);
      case 'close_turn':
        return void this.#close(effect.turn, effect.closing);
      case 'leave_unanswered':
        return this.#leaveUnanswered(effect.text);
      case 'stop_speaking':
        outputs.stop();
        return model.interrupt();
      case 'time_cut':
        return void setTimeout(() => post({ kind: 'cut_overdue', cut: effect.cut }), cutWithinMs);
      case 'fall_silent':
        outputs.mute();
        return model.interrupt();
      case 'doubt_arrival':
        return outputs.doubtArrival();
      case 'linger':
        return void this.#linger();
      case 'time_farewell':
        return void setTimeout(() => post({ kind: 'farewell_overdue' }), lastTurnMs);
      case 'expect':
        return model.expect(effect.text);
      case 'expect_nothing':
        return model.expectNothing();
      default:
        return effect satisfies never;
    }
  }

  /** Words that were written a moment ago are waited for; those of which the person's client did not tell in time that it has them. */
  async lastWordsInDoubt(): Promise<Out[]> {
    const { outputs, arrived } = this.#parts;
    const from = performance.now() - underWayMs;
    if (outputs.lastWordsAt < from || (await arrived(arrivesWithinMs))) return [];
    return outputs.writtenSince(from);
  }

  /** The model has nothing to say yet. */
  #fill(turn: number): void {
    const current = this.#current;
    if (current?.turn === turn && !current.output.hasWords) this.interject(this.#parts.filler());
  }

  /** The model has words, and nobody hears them yet. What goes on from a former host's words is told by its place in them, and stays as it is. */
  #fillUnheard(turn: number): void {
    const current = this.#current;
    const line = this.#parts.filler();
    if (!line || current?.turn !== turn || current.isFilled || current.resumption) return;
    if (!current.output.sayFirst(line)) return;
    current.isFilled = true;
    current.draft.addFirst(`${line} `);
  }

  async #think({ turn, text, isFilled }: Extract<TurnEffect, { kind: 'think' }>): Promise<void> {
    const { post, outputs, guard } = this.#parts;
    const output = outputs.open(turn, { turn: text.sequence }, { segment: text.draft?.segment });
    const resumption = text.draft && this.#parts.resumes() ? resumptionOf(text.draft, output.mode) : undefined;
    const again = output.mode === 'TEXT' ? (text.draft?.before ?? '') : '';
    const begunAt = performance.now();
    this.#current = this.#turnOf({ turn, text, output, resumption, again, isFilled, begunAt });
    guard.newTurn();
    const { failed, interrupted, tokens } = await this.#answer(this.#current);
    if (!failed && !interrupted) this.#current.draft.complete();
    // Neither a word nor a tool, of nobody's doing: the person would wait for ever. A turn that was begun may have been complete.
    const isEmpty = !this.#current.hasWords && !guard.hasCalled && !interrupted && !text.begun;
    post({ kind: 'thought', turn, failed: failed || isEmpty, interrupted, tokens });
  }

  #turnOf(turn: Pick<Turn, 'turn' | 'text' | 'output' | 'resumption' | 'again' | 'isFilled' | 'begunAt'>): Turn {
    const { text, output, resumption, again } = turn;
    const draft = new KeptDraft({
      turn: text.sequence,
      segment: output.segment,
      before: again,
      told: () => heardBefore(resumption).length + output.said.length,
      keep: this.#parts.keepDraft,
    });
    return {
      ...turn,
      draft,
      newOf: resumption ? withoutRepetition(resumption.heard + resumption.words) : asTheyAre,
      hasWords: false,
      isAnnounced: false,
    };
  }

  /** A reply that a former host had begun is gone on with at once, and asked of the model only where it was not complete. */
  async #answer({ text, output, draft, resumption, again }: Turn): Promise<Thought> {
    const { model, onFault } = this.#parts;
    if (again) await showAgain(output, again).catch(onFault);
    if (!resumption) return model.answer(text.begun ? undefined : text.text);
    const { heard, words, isOpen } = resumption;
    draft.add(heard + words);
    output.captureText(words).catch(onFault);
    if (!isOpen) return { failed: false, interrupted: false, tokens: 0 };
    model.remember(heard + words);
    return model.answer(undefined, { goesOn: true });
  }

  async #tell(turn: number): Promise<void> {
    const { post, outputs, onFault } = this.#parts;
    const output = this.#current?.output;
    let whole = false;
    try {
      await output?.end();
      whole = (await output?.repeatIfBroken(personBackWithinMs)) ?? false;
    } catch (error) {
      onFault(error);
    }
    outputs.saidAll(turn);
    post({ kind: 'told', output: turn, cut: output?.cut ?? false, hasWords: output?.hasWords ?? false, whole });
  }

  async #askArrival(turn: number): Promise<void> {
    const { post, arrived, onFault } = this.#parts;
    const has = await arrived(arrivesWithinMs).catch((error: unknown) => {
      onFault(error);
      return false;
    });
    post({ kind: 'arrival_known', turn, arrived: has });
  }

  async #close(turn: number, closing: Closing): Promise<void> {
    const { post, outputs, onFault } = this.#parts;
    try {
      if (this.#current) await this.#store(this.#current, closing);
    } catch (error) {
      onFault(error);
    }
    outputs.close(turn);
    this.#current?.draft.close();
    this.#current = undefined;
    post({ kind: 'turn_closed', turn });
  }

  async #store(turn: Turn, { unsaid, closesTurn, interrupted, tokens }: Closing): Promise<void> {
    const { text, output, begunAt, draft, resumption } = turn;
    const { transcript, guard, onTokens, onTurn } = this.#parts;
    const content = unsaid ? '' : heardBefore(resumption) + (await output.take());
    // The successor has it in the transcript, or goes on from the draft.
    if (!closesTurn && content) draft.restart();
    const timing = timingOf(begunAt, text, output, guard.toolsMs);
    const { mode } = output;
    onTurn(mode, timing);
    onTokens(tokens);
    const agoMs = outSinceMs(output);
    void transcript.said(text, { content, mode, interrupted, closesTurn, tokens, timing, agoMs });
    await this.#tellModel(turn, content);
  }

  /** What the model did not say itself it is told; of what it said, no more than was heard. */
  async #tellModel({ output, resumption, again }: Turn, content: string): Promise<void> {
    const { model } = this.#parts;
    if (resumption && !resumption.isOpen) return void (content && model.remember(content));
    const known = again.length + (resumption?.words.length ?? 0);
    if (output.cut) await model.heardOnly(output.said.slice(known));
  }

  #leaveUnanswered(text: WaitingText): void {
    const nothing = { content: '', mode: 'TEXT', interrupted: false, closesTurn: true, tokens: 0 } as const;
    void this.#parts.transcript.said(text, nothing);
  }

  /** What is on its way is lost when the room goes. */
  async #linger(): Promise<void> {
    const left = this.#parts.outputs.lastWordsAt + lingerMs - performance.now();
    if (left > 0) await sleep(left);
    this.#parts.post({ kind: 'lingered' });
  }
}

const heardBefore = (resumption: Resumption | undefined): string => resumption?.heard ?? '';

/** It is stored already, and taken by nobody else. */
async function showAgain(output: Output, again: string): Promise<void> {
  await output.captureText(again);
  await output.take();
}

const asTheyAre = (words: string) => words;
