import { llm } from '@livekit/agents';
import { tokensOf } from './context.ts';
import { type ModelFailure, toModelFailure } from './failure.ts';

type ChatOptions = Parameters<llm.LLM['chat']>[0];

/** An answer that is being made. */
interface Answering {
  stream: llm.LLMStream;
  failure(): ModelFailure | undefined;
  /** Its failures concern nobody any more. */
  release(): void;
}

/** A head start that nobody has asked for by then is given up: what the person said was not answered after all. */
const keptMs = 10_000;

/**
 * A model that can begin with an answer before it is asked for it: in the pause in which it turns out that the person has
 * finished (the field's "preemptive generation"). Whoever asks it then for exactly that answer gets what was begun; asked for anything
 * else it gives up the head start. Until then nobody hears a word of it and no tool is called.
 *
 * Why not the framework's (1.9.0): it belongs to the framework's own hearing, and calls tools before the words are stored.
 */
export class HeadStart extends llm.LLM {
  readonly #model: llm.LLM;
  readonly #onWasted: (tokens: number) => void;
  #begun: (Answering & { key: string; timer: NodeJS.Timeout }) | undefined;

  /** `onWasted` is told about how many tokens a head start has cost that was for nothing. */
  constructor(model: llm.LLM, onWasted: (tokens: number) => void) {
    super();
    this.#model = model;
    this.#onWasted = onWasted;
    // An emitter without a listener throws on `error`.
    model.on('error', () => {});
  }

  label(): string {
    return 'parley.HeadStart';
  }

  override get model(): string {
    return this.#model.model;
  }

  override get provider(): string {
    return this.#model.provider;
  }

  /** Begins with the answer to this. What was begun before is given up, unless it is the same. */
  begin(options: ChatOptions): void {
    const key = keyOf(options);
    if (this.#begun?.key === key) return;
    this.giveUp();
    const timer = setTimeout(() => this.giveUp(), keptMs);
    this.#begun = { ...this.#ask(options), key, timer };
  }

  /** What was begun is not wanted. */
  giveUp(): void {
    const begun = this.#begun;
    if (!begun) return;
    this.#begun = undefined;
    clearTimeout(begun.timer);
    begun.release();
    begun.stream.close();
    this.#onWasted(Math.ceil(tokensOf(begun.key)));
  }

  chat(options: ChatOptions): llm.LLMStream {
    return new Answer(this, options, this.#claim(options) ?? this.#ask(options));
  }

  override async aclose(): Promise<void> {
    this.giveUp();
    await Promise.all([super.aclose(), this.#model.aclose()]);
  }

  #claim(options: ChatOptions): Answering | undefined {
    const begun = this.#begun;
    if (!begun || begun.key !== keyOf(options) || begun.failure()) {
      this.giveUp();
      return undefined;
    }
    this.#begun = undefined;
    clearTimeout(begun.timer);
    return begun;
  }

  #ask(options: ChatOptions): Answering {
    let failure: ModelFailure | undefined;
    const onError = (event: { error: Error; recoverable: boolean }) => {
      if (!event.recoverable) failure = toModelFailure(event.error);
    };
    this.#model.on('error', onError);
    return {
      stream: this.#model.chat(options),
      failure: () => failure,
      release: () => void this.#model.off('error', onError),
    };
  }
}

class Answer extends llm.LLMStream {
  readonly #answering: Answering;

  /** `answering` is under way: a stream that only began in `run` would wait for the framework's timer twice. */
  constructor(model: HeadStart, { chatCtx, toolCtx }: ChatOptions, answering: Answering) {
    super(model, {
      chatCtx,
      ...(toolCtx && { toolCtx }),
      connOptions: { maxRetry: 0, retryIntervalMs: 0, timeoutMs: 0 },
    });
    this.#answering = answering;
  }

  /** @throws ModelFailure */
  protected async run(): Promise<void> {
    const { stream, failure, release } = this.#answering;
    const stop = () => stream.close();
    this.abortController.signal.addEventListener('abort', stop, { once: true });
    try {
      for await (const chunk of stream) this.queue.put(chunk);
    } finally {
      this.abortController.signal.removeEventListener('abort', stop);
      release();
    }
    const failed = failure();
    if (failed) throw failed;
  }
}

/** All that a model is asked for by: neither the framework's names of things nor its times are part of it. */
function keyOf({ chatCtx, toolCtx, toolChoice }: ChatOptions): string {
  const items = chatCtx.items.flatMap((item): unknown[][] => {
    switch (item.type) {
      case 'message':
        return [[item.role, item.content]];
      case 'function_call':
        return [[item.callId, item.name, item.args]];
      case 'function_call_output':
        return [[item.callId, item.output]];
      default:
        return [];
    }
  });
  return JSON.stringify([items, llm.sortedToolNames(llm.toToolContext(toolCtx)), toolChoice ?? 'auto']);
}
