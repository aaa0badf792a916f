import type { CompiledLanguage } from '../../agent-files/definition/compiled.ts';
import type { EndReason, InteractionMode, TurnTiming } from '../../contract/session.ts';
import { bestEffort } from '../../process/best-effort.ts';
import { sleep } from '../../process/sleep.ts';
import type { AgentRoom } from '../room/agent-room.ts';
import type { IncomingText } from '../room/hearing.ts';
import type { Thinker } from './mind.ts';
import type { Output } from './output.ts';
import type { ToolGuard } from './tool-guard.ts';
import type { Transcript, Utterance } from './transcript.ts';
import { timingOf } from './turn-timing.ts';

export interface WaitingText extends Utterance {
  /** A former host began this turn: the model goes on from what is stored instead of hearing the text again. */
  begun: boolean;
  hearing?: IncomingText['hearing'];
}

export interface TurnsParts {
  room: () => AgentRoom;
  transcript: Transcript;
  /** One for each turn and each line of the service: written or aloud, as the session is at that moment. */
  makeOutput: () => Output;
  guard: ToolGuard;
  /** Made when the first text is answered: no provider is contacted before the person is there. */
  wakeMind: (onWords: (text: string) => void) => Promise<Thinker>;
  language: () => CompiledLanguage;
  budget: Budget;
  /** Whether the person's client has all that was written, as far as can be told within `withinMs`. */
  arrived: (withinMs: number) => Promise<boolean>;
  onTokens: (tokens: number) => void;
  onTurn: (mode: InteractionMode, timing: TurnTiming) => void;
  /** Everything is said and answered; the person's turn. */
  onQuiet: () => void;
  onOver: (reason: EndReason) => void;
  onFault: (error: unknown) => void;
}

export interface Budget {
  turns: number;
  tokens: number;
  turnsUsed: number;
  tokensUsed: number;
}

/** A turn may not take longer than this, tools included; the model's and the tools' own deadlines are shorter. */
const turnDeadlineMs = 180_000;
/** How long the last words have to reach the person before the room goes. */
const lingerMs = 700;
/**
 * Before a successor takes the place the last words are waited for: on a busy machine the news that the agent left overtook the end of
 * a reply, which the person's client then gave up. So long the person's client may take to say that it has them.
 */
const arrivesWithinMs = 5_000;
/** Words older than this have arrived, or their person is not there. */
const underWayMs = 10_000;
/** After so many turns in a row without a model the conversation is over. */
const maxFailedTurns = 5;
/** A turn that is cut is over within a few milliseconds; the person is not kept waiting for one that is not. */
const cutWithinMs = 1_000;
const personBackWithinMs = 15_000;
/** What is being said when a cap is reached may take so long, so that there is time for the last line (`farewellSeconds`). */
const lastTurnMs = 5_000;

/** The turns of a conversation: texts are answered one after another, in their order, none skipped. */
export class Turns {
  readonly #parts: TurnsParts;
  #queue: WaitingText[] = [];
  #current: Utterance | undefined;
  /** Of the current turn, or of the last one. */
  #output: Output;
  /** All that are open: the turn's, and those of lines said meanwhile. */
  readonly #open = new Set<Output>();
  #mind: Promise<Thinker> | undefined;
  /** Lines of the service that the model has not been told of yet. */
  #unremembered: string[] = [];
  #remembering: Promise<void> = Promise.resolve();
  /** Counts what was expected, so that an expectation that is no more is not followed. */
  #expectation = 0;
  #greeted: boolean;
  #running: Promise<void> | undefined;
  #closed = false;
  /** Between turns the session goes to another host: a turn that is cut stays open for it. */
  #cutForHandover = false;
  #handingOver = false;
  #endReason: EndReason | undefined;
  #failedTurns = 0;
  #lastWordsAt = Number.NEGATIVE_INFINITY;

  constructor(parts: TurnsParts, { greeted }: { greeted: boolean }) {
    this.#parts = parts;
    this.#greeted = greeted;
    this.#output = parts.makeOutput();
  }

  get output(): Output {
    return this.#output;
  }

  get waiting(): number {
    return this.#queue.length;
  }

  /** The text that is being answered. */
  get current(): Utterance | undefined {
    return this.#current;
  }

  add(text: WaitingText): void {
    this.#queue.push(text);
  }

  /** The person is there: greets once, then answers what waits. */
  run(): void {
    if (this.#running || this.#closed) return;
    this.#running = this.#runAll()
      .catch((error: unknown) => this.#parts.onFault(error))
      .finally(() => {
        this.#running = undefined;
        if (this.#queue.length > 0) this.run();
      });
  }

  /**
   * The person has probably said this, and finished. While nothing else is to be answered the model begins with its answer, which
   * nobody hears before the turn.
   */
  expect(text: string): void {
    if (this.#running || this.#closed || this.#queue.length > 0 || this.#isUsedUp) return;
    this.#expectation += 1;
    const expectation = this.#expectation;
    this.#preparedMind().then(
      (mind) => {
        if (!this.#running && expectation === this.#expectation) mind.expect?.(text);
      },
      // The turn makes another, and tells when that cannot be made either.
      () => {
        this.#mind = undefined;
      },
    );
  }

  /** The person goes on. */
  expectNothing(): void {
    this.#expectation += 1;
    const told = this.#mind?.then((mind) => mind.expectNothing?.());
    void bestEffort('the turn tells of a model that cannot be used', told);
  }

  /** The conversation is over as soon as this turn is. */
  endAfterTurn(reason: EndReason): void {
    this.#endReason = reason;
  }

  /** No further turn begins: after the current one the person is told that a limit is reached, and the conversation is over. */
  async endWith(reason: EndReason): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    const cut = setTimeout(() => this.#interrupt(), lastTurnMs);
    await this.#running;
    clearTimeout(cut);
    // That turn ended the conversation by itself.
    if (this.#endReason) return;
    await this.say(this.#parts.language().lines.limitReached, 'notice limit').catch(this.#parts.onFault);
    this.#parts.onOver(reason);
  }

  /** No further turn begins; resolves when the current one is over, which after `patienceMs` is cut and left to the successor. */
  async pause(patienceMs: number): Promise<void> {
    this.#closed = true;
    this.#handingOver = true;
    const cut = setTimeout(() => {
      this.#cutForHandover = true;
      for (const output of this.#open) output.mute();
      this.#interrupt();
    }, patienceMs);
    await this.#running;
    clearTimeout(cut);
    if (performance.now() - this.#lastWordsAt < underWayMs) await this.#parts.arrived(arrivesWithinMs);
  }

  /** Not another word. Resolves when the current turn is over. */
  async close(): Promise<void> {
    this.#closed = true;
    for (const output of this.#open) output.mute();
    this.#interrupt();
    await this.#running;
    const closed = this.#mind?.then((mind) => mind.close());
    await bestEffort('a model that could not be used may not be closed either', closed);
  }

  /** What the model says in the current turn, as it says it. */
  words(text: string): void {
    this.#output.captureText(text).catch(this.#parts.onFault);
  }

  /** A line of the service itself; the model is told that it was said. */
  async say(line: string, key: string): Promise<void> {
    const { transcript } = this.#parts;
    const output = this.#openOutput();
    void output.captureText(line);
    await output.end();
    const said = await output.take();
    if (said) {
      void transcript.line(said, { key, mode: output.mode, interrupted: output.cut });
      this.#unremembered.push(said);
    }
    await output.repeatIfBroken(personBackWithinMs);
    this.#open.delete(output);
  }

  /**
   * The person speaks over the agent: what it is saying ends here, and what it has not said it never does. Resolves when
   * the cut turn is on its way into the transcript, so that the person's words come after it.
   */
  async interrupt(): Promise<void> {
    this.#interrupt();
    const cut = [...this.#open];
    const deadline = performance.now() + cutWithinMs;
    while (cut.some((output) => this.#open.has(output)) && performance.now() < deadline) {
      await sleep(5);
    }
  }

  /** The connection was lost: what was just said may not have arrived. */
  connectionLost(): void {
    for (const output of this.#open) output.interrupted();
  }

  #openOutput(): Output {
    const output = this.#parts.makeOutput();
    this.#open.add(output);
    output.begin();
    return output;
  }

  /** What is on its way is lost when the room goes. */
  async #lastWordsArrived(): Promise<void> {
    const left = this.#lastWordsAt + lingerMs - performance.now();
    if (left > 0) await sleep(left);
  }

  /** Of a turn that ends while the conversation is given away, only what the person's client has counts as said. */
  async #hasArrived({ hasWords }: Output): Promise<boolean> {
    return !this.#handingOver || !hasWords || this.#parts.arrived(arrivesWithinMs);
  }

  #interrupt(): void {
    for (const output of this.#open) output.stop();
    this.#mind?.then(
      (mind) => mind.interrupt(),
      () => undefined,
    );
  }

  async #runAll(): Promise<void> {
    const { room, onOver } = this.#parts;
    room().showState('listening');
    await this.#greet();
    while (!this.#closed) {
      const next = this.#queue.shift();
      if (!next) break;
      await this.#turn(next);
      if (this.#endReason) return onOver(this.#endReason);
    }
    room().showState('listening');
    this.#parts.onQuiet();
  }

  async #greet(): Promise<void> {
    if (this.#greeted) return;
    this.#greeted = true;
    const { greeting } = this.#parts.language();
    if (greeting) await this.say(greeting, 'greeting');
  }

  async #turn(utterance: WaitingText): Promise<void> {
    const { room, guard, transcript, budget, onTokens } = this.#parts;
    if (this.#isUsedUp) return this.#refuse(utterance);
    this.#current = utterance;
    room().showState('thinking');
    const begunAt = performance.now();
    const output = this.#openOutput();
    this.#output = output;
    guard.newTurn();
    budget.turnsUsed += 1;
    const thought = await this.#think(utterance);
    await output.end();
    const arrived = (await output.repeatIfBroken(personBackWithinMs)) && (await this.#hasArrived(output));
    this.#lastWordsAt = performance.now();
    const interrupted = thought.interrupted || output.cut;
    const left = (this.#cutForHandover && interrupted) || (this.#handingOver && !arrived);
    // What nobody has heard is not said: the successor answers anew.
    const content = left && !arrived ? '' : await output.take();
    const timing = timingOf(begunAt, utterance, output, guard.toolsMs);
    this.#parts.onTurn(output.mode, timing);
    void transcript.said(utterance, {
      content,
      mode: output.mode,
      interrupted: interrupted || thought.failed,
      closesTurn: !left,
      tokens: thought.tokens,
      timing,
    });
    this.#open.delete(output);
    if (output.cut) await this.#mind?.then((mind) => mind.heardOnly(output.said)).catch(this.#parts.onFault);
    this.#current = undefined;
    budget.tokensUsed += thought.tokens;
    onTokens(thought.tokens);
    await this.#afterModel(thought.failed && !left);
    if (this.#endReason) await this.#lastWordsArrived();
  }

  get #isUsedUp(): boolean {
    const { budget } = this.#parts;
    return budget.turnsUsed >= budget.turns || budget.tokensUsed >= budget.tokens;
  }

  async #afterModel(failed: boolean): Promise<void> {
    this.#failedTurns = failed ? this.#failedTurns + 1 : 0;
    if (!failed || this.#closed) return;
    await this.say(this.#parts.language().lines.modelUnavailable, `notice ${crypto.randomUUID()}`);
    if (this.#failedTurns >= maxFailedTurns) this.#endReason = 'provider_failed';
  }

  async #refuse(utterance: WaitingText): Promise<void> {
    const nothing = { content: '', mode: this.#output.mode, interrupted: false, closesTurn: true, tokens: 0 };
    void this.#parts.transcript.said(utterance, nothing);
    await this.say(this.#parts.language().lines.limitReached, 'notice limit');
    this.#endReason = 'budget_exhausted';
    await this.#lastWordsArrived();
  }

  /** The model's answer, said while it comes. A model that cannot even be made is one that failed. */
  async #think({ text, begun }: WaitingText): Promise<{ failed: boolean; interrupted: boolean; tokens: number }> {
    try {
      const mind = await this.#preparedMind();
      const { failure, interrupted, tokens } = await mind.answer(begun ? undefined : text, turnDeadlineMs);
      if (failure) this.#parts.onFault(failure);
      return { failed: failure !== undefined, interrupted, tokens };
    } catch (error) {
      this.#mind = undefined;
      this.#parts.onFault(error);
      return { failed: true, interrupted: false, tokens: 0 };
    }
  }

  /** Knows all that was said. */
  async #preparedMind(): Promise<Thinker> {
    this.#mind ??= this.#parts.wakeMind((text) => this.words(text));
    const mind = await this.#mind;
    const remember = async () => {
      for (const line of this.#unremembered.splice(0)) await mind.remember(line);
    };
    this.#remembering = this.#remembering.then(remember, remember);
    await this.#remembering;
    return mind;
  }
}
