import { randomUUID } from 'node:crypto';
import type OpenAI from 'openai';

type Chunk = OpenAI.ChatCompletionChunk;
export type ToolCallDelta = NonNullable<Chunk['choices'][number]['delta']['tool_calls']>[number];

interface Call {
  id: string;
  givenId: string | undefined;
  givenIndex: number | undefined;
  name: string;
  arguments: string;
}

/**
 * Puts the fragments of tool calls together, so that the framework sees each call once and whole. Its own reader drops a
 * call without an id (some compatible servers send none) and the third of three calls in one delta, and it repairs
 * arguments that are no JSON, so that a call cut in the middle would run with half a name.
 */
export class ToolCalls {
  readonly #calls: Call[] = [];

  get any(): boolean {
    return this.#calls.length > 0;
  }

  add(delta: ToolCallDelta): void {
    if (this.#starts(delta)) {
      this.#calls.push({
        id: delta.id || `call_${randomUUID()}`,
        givenId: delta.id,
        givenIndex: delta.index,
        name: delta.function?.name ?? '',
        arguments: '',
      });
    }
    const call = this.#callOf(delta);
    if (call) call.arguments += delta.function?.arguments ?? '';
  }

  /** Some servers repeat id and name in every fragment, some leave out the id, the index or both. */
  #starts(delta: ToolCallDelta): boolean {
    const last = this.#calls.at(-1);
    if (!delta.function?.name) return false;
    if (delta.id) return !this.#calls.some((call) => call.givenId === delta.id);
    return last === undefined || delta.index === undefined || delta.index !== last.givenIndex;
  }

  #callOf(delta: ToolCallDelta): Call | undefined {
    const same = delta.id
      ? this.#calls.find((call) => call.givenId === delta.id)
      : this.#calls.findLast((call) => delta.index !== undefined && call.givenIndex === delta.index);
    return same ?? this.#calls.at(-1);
  }

  /** Each call as one delta, in the order in which the model began them. */
  whole(): ToolCallDelta[] {
    return this.#calls.map((call, index) => ({
      index,
      id: call.id,
      type: 'function',
      function: { name: call.name, arguments: readableArguments(call.arguments) },
    }));
  }
}

/** What is no JSON is handed on as a text, which the framework refuses to run and tells the model. */
function readableArguments(text: string): string {
  if (text.trim() === '') return '{}';
  try {
    JSON.parse(text);
    return text;
  } catch {
    return JSON.stringify(`The arguments were not valid JSON. Send the whole call again. You sent: ${text}`);
  }
}
