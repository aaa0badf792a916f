import type { ReadableStream as StreamOf } from 'node:stream/web';
import { voice } from '@livekit/agents';

type LlmNode = voice.Agent['llmNode'];
type Reply = NonNullable<Awaited<ReturnType<LlmNode>>>;
type Chunk = Reply extends StreamOf<infer Piece> ? Piece : never;

/**
 * An agent whose words are told as the model says them, and whose current reply can be ended at once.
 *
 * Through the framework (1.9.0) words take some milliseconds more, and a tool that the model asks for overtakes them. And it
 * looks at an interruption only when the next piece of text arrives: a reply whose model is silent at that moment holds
 * `interrupt()` and `session.close()` up for 4 s (twice `REPLY_TASK_CANCEL_TIMEOUT`). Call `handle.interrupt(true)` first,
 * then `endReply()`: without the first the reply would count as whole.
 */
export class StoppableAgent extends voice.Agent {
  readonly #ends = new Set<() => void>();
  readonly #onWords: (text: string) => void;

  constructor(options: voice.AgentOptions<unknown>, onWords: (text: string) => void = () => undefined) {
    super(options);
    this.#onWords = onWords;
  }

  endReply(): void {
    for (const end of this.#ends) end();
  }

  override async llmNode(...args: Parameters<LlmNode>): ReturnType<LlmNode> {
    const words = await super.llmNode(...args);
    if (!words) return words;
    const { readable, end } = endable(words, (chunk) => this.#tell(chunk));
    this.#ends.add(end);
    return readable(() => this.#ends.delete(end));
  }

  #tell(chunk: Chunk): void {
    const text = typeof chunk === 'object' && 'delta' in chunk ? chunk.delta?.content : chunk;
    if (typeof text === 'string' && text) this.#onWords(text);
  }
}

/** A stream that can be ended from outside; its source is cancelled then, so the provider stops as well. */
function endable(source: Reply, onChunk: (chunk: Chunk) => void) {
  const ended = Promise.withResolvers<'ended'>();
  const reader = source.getReader();
  const readable = (onEnd: () => void) =>
    new ReadableStream<Chunk>({
      pull: async (controller) => {
        const next = await Promise.race([reader.read(), ended.promise]);
        if (next !== 'ended' && !next.done) {
          onChunk(next.value);
          return controller.enqueue(next.value);
        }
        onEnd();
        controller.close();
        if (next === 'ended') await reader.cancel();
      },
      cancel: async () => {
        onEnd();
        await reader.cancel();
      },
    }) as typeof source;
  return { readable, end: () => ended.resolve('ended') };
}
