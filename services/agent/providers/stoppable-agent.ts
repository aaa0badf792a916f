import { voice } from '@livekit/agents';

type LlmNode = voice.Agent['llmNode'];

/**
 * An agent whose current reply can be ended at once. The framework (1.9.0) looks at an interruption only when the next
 * piece of text arrives: a reply whose model is silent at that moment holds `interrupt()` and `session.close()` up for
 * 4 s (twice `REPLY_TASK_CANCEL_TIMEOUT`). Call `handle.interrupt(true)` first, then `endReply()`: without the first the
 * reply would count as whole.
 */
export class StoppableAgent extends voice.Agent {
  readonly #ends = new Set<() => void>();

  endReply(): void {
    for (const end of this.#ends) end();
  }

  override async llmNode(...args: Parameters<LlmNode>): ReturnType<LlmNode> {
    const words = await super.llmNode(...args);
    if (!words) return words;
    const { readable, end } = endable(words);
    this.#ends.add(end);
    return readable(() => this.#ends.delete(end));
  }
}

/** A stream that can be ended from outside; its source is cancelled then, so the provider stops as well. */
function endable<Chunk>(source: NonNullable<Awaited<ReturnType<LlmNode>>>) {
  const ended = Promise.withResolvers<'ended'>();
  const reader = source.getReader();
  const readable = (onEnd: () => void) =>
    new ReadableStream<Chunk>({
      pull: async (controller) => {
        const next = await Promise.race([reader.read(), ended.promise]);
        if (next !== 'ended' && !next.done) return controller.enqueue(next.value as Chunk);
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
