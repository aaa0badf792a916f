import { llm } from '@livekit/agents';
import { bestEffort } from '../../process/best-effort.ts';
import { type Breaker, Breakers, restMs } from './breaker.ts';
import { contextFor, sizeOfTools, tokensOf } from './context.ts';
import { isOutput, type ModelFailure, toModelFailure } from './failure.ts';

type ChatOptions = Parameters<llm.LLM['chat']>[0];

/** Of the context, for the conversation itself. */
const leastPart = 0.25;

export interface OrderOptions {
  now?: () => number;
  /** What is known of each model beyond this conversation, in the same order; absent: nothing. */
  breakers?: readonly Breaker[];
  /** The most that a model is sent: instructions, tools and conversation. */
  maxTokens?: number;
  /** Hears how the model of this place in the order did. */
  onOutcome?: (index: number, failure: ModelFailure | undefined) => void;
}

/** A model as one conversation knows it. */
interface Known {
  model: llm.LLM;
  breaker: Breaker;
  onOutcome: (failure?: ModelFailure) => void;
  restsUntil: number;
  /** Less than the agent's once it refused that much. */
  maxTokens: number;
}

/**
 * Models in order: the next one answers when one fails before its first word. After a word (or a tool call) nothing is
 * tried again, because the person would read it twice. A model that failed rests for a while, then has its turn again. Each
 * is sent as much of the conversation as it takes.
 *
 * Why not the framework's FallbackAdapter (1.9.0, each seen against a local server): an interrupted reply goes on
 * streaming from the provider to its end; usage is reported twice; each failure sends the whole conversation to the
 * failing model again in the background, and when that fails once more the model is never tried again in this session.
 */
export class ModelsInOrder extends llm.LLM {
  readonly #known: readonly Known[];
  readonly #now: () => number;

  constructor(
    models: readonly [llm.LLM, ...llm.LLM[]],
    { now = Date.now, breakers = [], maxTokens = Number.POSITIVE_INFINITY, onOutcome }: OrderOptions = {},
  ) {
    super();
    this.#known = models.map((model, index) => ({
      model,
      breaker: breakers[index] ?? new Breakers().of(model.label()),
      onOutcome: (failure) => onOutcome?.(index, failure),
      restsUntil: 0,
      maxTokens,
    }));
    this.#now = now;
    // An emitter without a listener throws on `error`; while a model answers, its stream listens.
    for (const model of models) model.on('error', () => {});
  }

  label(): string {
    return 'parley.ModelsInOrder';
  }

  override get model(): string {
    return this.#known[0]?.model.model ?? 'unknown';
  }

  override get provider(): string {
    return this.#known[0]?.model.provider ?? 'unknown';
  }

  /** Those that may be asked now; all of them when none may. */
  *candidates(): Generator<Known> {
    let any = false;
    for (const known of this.#known) {
      if (known.restsUntil > this.#now() || !known.breaker.admits(this.#now())) continue;
      any = true;
      yield known;
    }
    if (!any) yield* this.#known;
  }

  rest(known: Known, failure: ModelFailure): void {
    known.restsUntil = this.#now() + Math.max(restMs, failure.retryAfterMs ?? 0);
    known.breaker.failed(failure, this.#now());
    known.onOutcome(failure);
  }

  chat(options: ChatOptions): llm.LLMStream {
    return new StreamInOrder(this, options);
  }

  override async aclose(): Promise<void> {
    await Promise.all([super.aclose(), ...this.#known.map(({ model }) => model.aclose())]);
  }
}

class StreamInOrder extends llm.LLMStream {
  readonly #models: ModelsInOrder;
  readonly #options: ChatOptions;
  readonly #answered: Promise<void>;
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
    this.#answered = this.#inOrder();
    void bestEffort('`run` tells of it', this.#answered);
  }

  /**
   * Asked as soon as it is made: the framework (1.9.0) begins `run` of each stream by a timer, which takes a millisecond and more, and a
   * stream within a stream would wait for two.
   *
   * @throws ModelFailure of the last model asked
   */
  protected run(): Promise<void> {
    return this.#answered;
  }

  async #inOrder(): Promise<void> {
    let last: ModelFailure | undefined;
    for (const known of this.#models.candidates()) {
      if (this.abortController.signal.aborted) return;
      const { failure, said } = await this.#answer(known);
      if (said) known.breaker.succeeded();
      if (said && !failure) known.onOutcome();
      if (!failure) return;
      this.#models.rest(known, failure);
      if (said) throw failure;
      last = failure;
    }
    if (last) throw last;
  }

  /** A model whose context is smaller than the agent's settings say is asked once more for half as much, and remembered so. */
  async #answer(known: Known): Promise<Answered> {
    const tools = sizeOfTools(this.#options.toolCtx);
    // Tools that leave no room are the author's; the conversation keeps a part of it all the same.
    const room = Math.max(known.maxTokens - tools, known.maxTokens * leastPart);
    const items = contextFor(this.#options.chatCtx.items, room);
    const answered = await this.#ask(known.model, items);
    if (!answered.failure?.tooLong) return answered;
    const half = tokensOf(JSON.stringify(items)) / 2;
    known.maxTokens = half + tools;
    return this.#ask(known.model, contextFor(this.#options.chatCtx.items, half));
  }

  async #ask(model: llm.LLM, items: llm.ChatItem[]): Promise<Answered> {
    let failure: ModelFailure | undefined;
    let said = false;
    let words = '';
    let used: llm.CompletionUsage | undefined;
    const onError = (event: { error: Error; recoverable: boolean }) => {
      if (!event.recoverable) failure = toModelFailure(event.error);
    };
    model.on('error', onError);
    const stream = model.chat({ ...this.#options, chatCtx: new llm.ChatContext(items) });
    const stop = () => stream.close();
    this.abortController.signal.addEventListener('abort', stop, { once: true });
    try {
      for await (const chunk of stream) {
        said ||= isOutput(chunk);
        words += chunk.delta?.content ?? '';
        used = chunk.usage ?? used;
        this.queue.put(chunk.usage ? { ...chunk, usage: sumOf(this.#used, chunk.usage) } : chunk);
      }
      if (said && !used && !this.abortController.signal.aborted) {
        used = about(items, words);
        this.queue.put({ id: '', usage: sumOf(this.#used, used) });
      }
      this.#used = sumOf(this.#used, used ?? nothingUsed);
    } finally {
      this.abortController.signal.removeEventListener('abort', stop);
      model.off('error', onError);
    }
    return { ...(failure && { failure }), said };
  }
}

interface Answered {
  failure?: ModelFailure;
  /** Whether the person could notice anything of it. */
  said: boolean;
}

const nothingUsed: llm.CompletionUsage = {
  completionTokens: 0,
  promptTokens: 0,
  promptCachedTokens: 0,
  totalTokens: 0,
};

/** Some servers count nothing (CLIProxyAPI#2111): what costs money is bounded by tokens all the same. */
function about(items: readonly llm.ChatItem[], words: string): llm.CompletionUsage {
  const promptTokens = Math.ceil(tokensOf(JSON.stringify(items)));
  const completionTokens = Math.ceil(tokensOf(words));
  return { ...nothingUsed, promptTokens, completionTokens, totalTokens: promptTokens + completionTokens };
}

const sumOf = (a: llm.CompletionUsage, b: llm.CompletionUsage): llm.CompletionUsage => ({
  completionTokens: a.completionTokens + b.completionTokens,
  promptTokens: a.promptTokens + b.promptTokens,
  promptCachedTokens: a.promptCachedTokens + b.promptCachedTokens,
  totalTokens: a.totalTokens + b.totalTokens,
});
