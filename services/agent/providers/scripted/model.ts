import { randomUUID } from 'node:crypto';
import { llm } from '@livekit/agents';
import type { CompiledScript } from '../../../agent-files/definition/compiled.ts';
import { sleepOrStop } from '../../../process/sleep.ts';
import { ModelNotConfigured } from '../../models/configuration.ts';
import type { MakeModel } from '../../models/making.ts';
import type { ConversationItem, Step, ToolShape } from './conversation.ts';
import { nextStep } from './engine.ts';

export interface ScriptedOptions {
  script: CompiledScript;
  tools: readonly ToolShape[];
  /** Read for each answer: a conversation may change its language. */
  language: () => string;
  /** Pause after each word; for tests that need an answer to take its time. */
  chunkDelayMs?: number;
}

type ChatOptions = Parameters<llm.LLM['chat']>[0];

/** The embedded model: rules instead of a network, for the start without a key and for tests. Deterministic. */
export class ScriptedLLM extends llm.LLM {
  readonly options: ScriptedOptions;

  constructor(options: ScriptedOptions) {
    super();
    this.options = options;
  }

  label(): string {
    return 'parley.ScriptedLLM';
  }

  override get model(): string {
    return 'scripted';
  }

  override get provider(): string {
    return 'embedded';
  }

  chat(options: ChatOptions): llm.LLMStream {
    return new ScriptedStream(this, options);
  }
}

export const make: MakeModel = (_declared, { agent: { agent, script, tools }, language }) => {
  if (!script) throw new ModelNotConfigured(`The agent "${agent}" has no script, and no other model can be used.`);
  return new ScriptedLLM({ script, tools, language });
};

class ScriptedStream extends llm.LLMStream {
  readonly #options: ScriptedOptions;

  constructor(model: ScriptedLLM, { chatCtx, toolCtx }: ChatOptions) {
    super(model, {
      chatCtx,
      ...(toolCtx && { toolCtx }),
      connOptions: { maxRetry: 0, retryIntervalMs: 0, timeoutMs: 0 },
    });
    this.#options = model.options;
  }

  protected async run(): Promise<void> {
    const { script, tools, language, chunkDelayMs } = this.#options;
    const id = `scripted_${randomUUID()}`;
    const { signal } = this.abortController;
    const step = nextStep(script, toConversation(this.chatCtx.items), language(), tools);
    for (const content of 'say' in step ? wordsOf(step.say) : []) {
      if (signal.aborted) return;
      this.queue.put({ id, delta: { role: 'assistant', content } });
      if (chunkDelayMs) await sleepOrStop(chunkDelayMs, signal);
    }
    if (signal.aborted) return;
    const call = callOf(step);
    if (call) this.queue.put({ id, delta: { role: 'assistant', toolCalls: [call] } });
    this.queue.put({ id, usage: usageOf(this.chatCtx, step) });
  }
}

const wordsOf = (text: string): string[] => text.match(/\S+\s*|\s+/gu) ?? [];

function callOf(step: Step): llm.FunctionCall | undefined {
  if ('call' in step) return functionCall(step.call.tool, step.call.arguments);
  return step.end ? functionCall('end_call', {}) : undefined;
}

const functionCall = (name: string, args: Record<string, unknown>) =>
  llm.FunctionCall.create({ callId: `call_${randomUUID()}`, name, args: JSON.stringify(args) });

/** The framework's history as the engine reads it; instructions and hand-overs say nothing to a script. */
export function toConversation(items: readonly llm.ChatItem[]): ConversationItem[] {
  return items.flatMap((item): ConversationItem[] => {
    if (item.type === 'function_call') return [{ call: { tool: item.name, arguments: item.args } }];
    if (item.type === 'function_call_output') return [{ result: { ok: !item.isError, output: item.output } }];
    if (item.type !== 'message') return [];
    const { role } = item;
    return role === 'user' || role === 'assistant' ? [{ role, text: item.textContent ?? '' }] : [];
  });
}

/** An estimate by the usual rule of four characters a token, so that limits and figures work without a provider. */
function usageOf(chatCtx: llm.ChatContext, step: Step): llm.CompletionUsage {
  const promptTokens = Math.ceil(JSON.stringify(chatCtx.toJSON()).length / 4);
  const completionTokens = Math.ceil(('say' in step ? step.say : JSON.stringify(step.call)).length / 4);
  return { promptTokens, completionTokens, promptCachedTokens: 0, totalTokens: promptTokens + completionTokens };
}
