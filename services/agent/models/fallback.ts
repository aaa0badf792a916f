import { llm } from '@livekit/agents';
import { isOutput, type ModelFailure, toModelFailure } from './failure.ts';

/** How long a model that failed is passed over, unless it asked for longer. */
const restMs = 30_000;

type ChatOptions = Parameters<llm.LLM['chat']>[0];

/**
 * Models in order: the next one answers when one fails before its first word. After a word (or a tool call) nothing is
 * tried again, because the person would read it twice. A model that failed rests for a while, then has its turn again.
 *
 * Why not the framework's FallbackAdapter (1.9.0, each seen against a local server): an interrupted reply goes on
 * streaming from the provider to its end; usage is reported twice; each failure sends the whole conversation to the
 * failing model again in the background, and when that fails once more the model is never tried again in this session.
 */
export class ModelsInOrder extends llm.LLM {
  readonly #models: readonly llm.LLM[];
  readonly #restsUntil = new Map<llm.LLM, number>();
  readonly #now: () => number;

  constructor(models: readonly [llm.LLM, ...llm.LLM[]], now: () => number = Date.now) {
    super();
    this.#models = models;
    this.#now = now;
    // An emitter without a listener throws on `error`; while a model answers, its stream listens.
    for (const model of models) model.on('error', () => {});
  }

  label(): string {
    return 'parley.ModelsInOrder';
  }

  override get model(): string {
    return this.#models[0]?.model ?? 'unknown';
  }

  override get provider(): string {
    return this.#models[0]?.provider ?? 'unknown';
  }

  /** Those that may be asked now; all of them when each one rests. */
  candidates(): readonly llm.LLM[] {
    const rested = this.#models.filter((model) => (this.#restsUntil.get(model) ?? 0) <= this.#now());
    return rested.length > 0 ? rested : this.#models;
  }

  rest(model: llm.LLM, failure: ModelFailure): void {
    this.#restsUntil.set(model, this.#now() + Math.max(restMs, failure.retryAfterMs ?? 0));
  }

  chat(options: ChatOptions): llm.LLMStream {
    return new StreamInOrder(this, options);
  }

  override async aclose(): Promise<void> {
    await Promise.all([super.aclose(), ...this.#models.map((model) => model.aclose())]);
  }
}

class StreamInOrder extends llm.LLMStream {
  readonly #models: ModelsInOrder;
  readonly #options: ChatOptions;
  /** What those that failed before used: an answer without words is paid for too. */
  #used = nothingUsed;

  constructor(models: ModelsInOrder, options: ChatOptions) {
    const { chatCtx, toolCtx } = options;
    super(models, {
      chatCtx,
      ...(toolCtx && { toolCtx }),
      connOptions: { maxRetry: 0, retryIntervalMs: 0, timeoutMs: 0 },
    });
    this.#models = models;
    this.#options = options;
  }

  /** @throws ModelFailure of the last model asked */
  protected async run(): Promise<void> {
    let last: ModelFailure | undefined;
    for (const model of this.#models.candidates()) {
      if (this.abortController.signal.aborted) return;
      const { failure, said } = await this.#ask(model);
      if (!failure) return;
      this.#models.rest(model, failure);
      if (said) throw failure;
      last = failure;
    }
    if (last) throw last;
  }

  async #ask(model: llm.LLM): Promise<{ failure?: ModelFailure; said: boolean }> {
    let failure: ModelFailure | undefined;
    let said = false;
    let used = nothingUsed;
    const onError = (event: { error: Error; recoverable: boolean }) => {
      if (!event.recoverable) failure = toModelFailure(event.error);
    };
    model.on('error', onError);
    const stream = model.chat(this.#options);
    const stop = () => stream.close();
    this.abortController.signal.addEventListener('abort', stop, { once: true });
    try {
      for await (const chunk of stream) {
        said ||= isOutput(chunk);
        used = chunk.usage ?? used;
        this.queue.put(chunk.usage ? { ...chunk, usage: sumOf(this.#used, chunk.usage) } : chunk);
      }
      this.#used = sumOf(this.#used, used);
    } finally {
      this.abortController.signal.removeEventListener('abort', stop);
      model.off('error', onError);
    }
    return { ...(failure && { failure }), said };
  }
}

const nothingUsed: llm.CompletionUsage = {
  completionTokens: 0,
  promptTokens: 0,
  promptCachedTokens: 0,
  totalTokens: 0,
};

const sumOf = (a: llm.CompletionUsage, b: llm.CompletionUsage): llm.CompletionUsage => ({
  completionTokens: a.completionTokens + b.completionTokens,
  promptTokens: a.promptTokens + b.promptTokens,
  promptCachedTokens: a.promptCachedTokens + b.promptCachedTokens,
  totalTokens: a.totalTokens + b.totalTokens,
});
