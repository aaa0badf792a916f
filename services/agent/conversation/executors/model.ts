import { bestEffort } from '../../../process/best-effort.ts';
import type { Answerer } from '../model-session.ts';
import type { Thought } from '../state/state.ts';

export interface ModelParts {
  /** Made when the first text is answered: no provider is contacted before the person is there. */
  wake: () => Promise<Answerer>;
  onFault: (error: unknown) => void;
}

/** A turn may not take longer than this, tools included; the model's and the tools' own deadlines are shorter. */
const turnDeadlineMs = 180_000;

/** The model of one conversation: made when it is needed, made again when it could not be, and told what was said without it. */
export class Model {
  readonly #parts: ModelParts;
  #session: Promise<Answerer> | undefined;
  /** Lines of the service that the model has not been told of yet. */
  #unremembered: string[] = [];
  #remembering: Promise<void> = Promise.resolve();
  /** Counts what was expected, so that an expectation that is no more is not followed. */
  #expectation = 0;
  #isAnswering = false;

  constructor(parts: ModelParts) {
    this.#parts = parts;
  }

  /**
   * Answers what the person said; without `text`, what the history ends with; `goesOn`: with the
   * model's own words, after which it is to go on. A model that cannot even be made is one that failed.
   */
  async answer(text: string | undefined, { goesOn = false } = {}): Promise<Thought> {
    this.#isAnswering = true;
    try {
      const { failure, interrupted, tokens } = await (await this.#prepared()).answer(text, turnDeadlineMs, {
        goesOn,
      });
      if (failure) this.#parts.onFault(failure);
      return { failed: failure !== undefined, interrupted, tokens };
    } catch (error) {
      this.#session = undefined;
      this.#parts.onFault(error);
      return { failed: true, interrupted: false, tokens: 0 };
    } finally {
      this.#isAnswering = false;
    }
  }

  /** The person has probably said this, and finished: the answer is begun, and nobody hears of it before it is asked for. */
  expect(text: string): void {
    this.#expectation += 1;
    const expectation = this.#expectation;
    this.#prepared().then(
      (session) => {
        if (!this.#isAnswering && expectation === this.#expectation) session.expect?.(text);
      },
      // The turn makes another, and tells when that cannot be made either.
      () => {
        this.#session = undefined;
      },
    );
  }

  /** The person goes on. */
  expectNothing(): void {
    this.#expectation += 1;
    const told = this.#session?.then((session) => session.expectNothing?.());
    void bestEffort('the turn tells of a model that cannot be used', told);
  }

  /** A line of the service was said; the model hears of it before its next answer. */
  remember(line: string): void {
    this.#unremembered.push(line);
  }

  /** The person cut the last answer short. */
  async heardOnly(said: string): Promise<void> {
    await this.#session?.then((session) => session.heardOnly(said)).catch(this.#parts.onFault);
  }

  interrupt(): void {
    const interrupted = this.#session?.then((session) => session.interrupt());
    void bestEffort('the turn tells of a model that cannot be used', interrupted);
  }

  async close(): Promise<void> {
    const closed = this.#session?.then((session) => session.close());
    await bestEffort('a model that could not be used may not be closed either', closed);
  }

  /** Knows all that was said. */
  async #prepared(): Promise<Answerer> {
    this.#session ??= this.#parts.wake();
    const session = await this.#session;
    const remember = async () => {
      for (const line of this.#unremembered.splice(0)) await session.remember(line);
    };
    this.#remembering = this.#remembering.then(remember, remember);
    await this.#remembering;
    return session;
  }
}
