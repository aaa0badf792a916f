import type { CompiledLanguage } from '../../contract/agents/compiled.ts';
import type { EndReason } from '../../store/tables/sessions.ts';
import type { AgentRoom } from '../room/agent-room.ts';
import type { Mind } from './mind.ts';
import type { TextOutput } from './text-output.ts';
import type { ToolGuard } from './tool-guard.ts';
import type { Transcript, Utterance } from './transcript.ts';

export interface WaitingText extends Utterance {
  /** A former host began this turn: the model goes on from what is stored instead of hearing the text again. */
  begun: boolean;
}

export interface TurnsParts {
  room: () => AgentRoom;
  transcript: Transcript;
  /** What the model says goes out here. */
  output: TextOutput;
  /** For a line that the model does not say. */
  makeOutput: () => TextOutput;
  guard: ToolGuard;
  /** Made when the first text is answered: no provider is contacted before the person is there. */
  wakeMind: () => Promise<Mind>;
  language: () => CompiledLanguage;
  maySpeak: () => Promise<boolean>;
  budget: Budget;
  onTokens: (tokens: number) => void;
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
/** How long the last words have to reach the person before the room goes, or the agent's place in it to a successor. */
const lingerMs = 700;
/** After so many turns in a row without a model the conversation is over. */
const maxFailedTurns = 5;
const personBackWithinMs = 15_000;

/** The turns of a conversation: texts are answered one after another, in their order, none skipped. */
export class Turns {
  readonly #parts: TurnsParts;
  #queue: WaitingText[] = [];
  #current: Utterance | undefined;
  #mind: Promise<Mind> | undefined;
  /** Lines of the service that the model has not been told of yet. */
  #unremembered: string[] = [];
  #greeted: boolean;
  #running: Promise<void> | undefined;
  #closed = false;
  /** Between turns the session goes to another host: a turn that is cut stays open for it. */
  #cutForHandover = false;
  #endReason: EndReason | undefined;
  #failedTurns = 0;
  #lastWordsAt = Number.NEGATIVE_INFINITY;

  constructor(parts: TurnsParts, { greeted }: { greeted: boolean }) {
    this.#parts = parts;
    this.#greeted = greeted;
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

  /** The conversation is over as soon as this turn is. */
  endAfterTurn(reason: EndReason): void {
    this.#endReason = reason;
  }

  /** No further turn begins; resolves when the current one is over, which after `patienceMs` is cut and left to the successor. */
  async pause(patienceMs: number): Promise<void> {
    this.#closed = true;
    const cut = setTimeout(() => {
      this.#cutForHandover = true;
      this.#interrupt();
    }, patienceMs);
    await this.#running;
    clearTimeout(cut);
    await this.#lastWordsArrived();
  }

  /** Not another word. Resolves when the current turn is over. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#parts.output.mute();
    this.#interrupt();
    await this.#running;
    const mind = await this.#mind?.catch(() => undefined);
    await mind?.close().catch(() => undefined);
  }

  /** A line of the service itself; the model is told that it was said. */
  async say(line: string, key: string): Promise<void> {
    const { transcript, maySpeak } = this.#parts;
    if (!(await maySpeak())) return;
    void transcript.line(line, key);
    const output = this.#parts.makeOutput();
    output.begin();
    await output.captureText(line);
    await output.end();
    await output.repeatIfBroken(personBackWithinMs);
    this.#unremembered.push(line);
  }

  /** What is on its way is lost when the room goes, or when a successor takes the agent's place in it. */
  async #lastWordsArrived(): Promise<void> {
    const left = this.#lastWordsAt + lingerMs - performance.now();
    if (left > 0) await new Promise((resolve) => setTimeout(resolve, left));
  }

  #interrupt(): void {
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
  }

  async #greet(): Promise<void> {
    if (this.#greeted) return;
    this.#greeted = true;
    const { greeting } = this.#parts.language();
    if (greeting) await this.say(greeting, 'greeting');
  }

  async #turn(utterance: WaitingText): Promise<void> {
    const { room, output, guard, transcript, budget, onTokens } = this.#parts;
    if (budget.turnsUsed >= budget.turns || budget.tokensUsed >= budget.tokens) return this.#refuse(utterance);
    this.#current = utterance;
    room().showState('thinking');
    output.begin();
    guard.newTurn();
    budget.turnsUsed += 1;
    const thought = await this.#think(utterance);
    await output.end();
    await output.repeatIfBroken(personBackWithinMs);
    this.#lastWordsAt = performance.now();
    const left = this.#cutForHandover && thought.interrupted;
    void transcript.said(utterance, {
      content: await output.take(),
      interrupted: thought.interrupted || thought.failed,
      closesTurn: !left,
      tokens: thought.tokens,
    });
    this.#current = undefined;
    budget.tokensUsed += thought.tokens;
    onTokens(thought.tokens);
    await this.#afterModel(thought.failed && !left);
    if (this.#endReason) await this.#lastWordsArrived();
  }

  async #afterModel(failed: boolean): Promise<void> {
    this.#failedTurns = failed ? this.#failedTurns + 1 : 0;
    if (!failed || this.#closed) return;
    await this.say(this.#parts.language().lines.modelUnavailable, `notice ${crypto.randomUUID()}`);
    if (this.#failedTurns >= maxFailedTurns) this.#endReason = 'provider_failed';
  }

  async #refuse(utterance: WaitingText): Promise<void> {
    void this.#parts.transcript.said(utterance, { content: '', interrupted: false, closesTurn: true, tokens: 0 });
    await this.say(this.#parts.language().lines.limitReached, 'notice limit');
    this.#endReason = 'budget_exhausted';
    await this.#lastWordsArrived();
  }

  /** The model's answer, said while it comes. A model that cannot even be made is one that failed. */
  async #think({ text, begun }: WaitingText): Promise<{ failed: boolean; interrupted: boolean; tokens: number }> {
    try {
      const mind = await this.#wakeMind();
      for (const line of this.#unremembered.splice(0)) await mind.remember(line);
      const { failure, interrupted, tokens } = await mind.answer(begun ? undefined : text, turnDeadlineMs);
      if (failure) this.#parts.onFault(failure);
      return { failed: failure !== undefined, interrupted, tokens };
    } catch (error) {
      this.#mind = undefined;
      this.#parts.onFault(error);
      return { failed: true, interrupted: false, tokens: 0 };
    }
  }

  #wakeMind(): Promise<Mind> {
    this.#mind ??= this.#parts.wakeMind();
    return this.#mind;
  }
}
