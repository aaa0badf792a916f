import type OpenAI from 'openai';
import { hasWords, ModelFailure } from '../../models/failure.ts';
import type { Deadline } from './deadline.ts';
import { failureOf } from './request.ts';
import { ToolCalls } from './tool-calls.ts';

type Chunk = OpenAI.ChatCompletionChunk;
type FinishReason = NonNullable<Chunk['choices'][number]['finish_reason']>;

const goodEnds: readonly FinishReason[] = ['stop', 'tool_calls', 'function_call'];

/**
 * The chunks of a completion as the framework's stream can read them. Words pass at once, tool calls when they are whole
 * (nobody acts on half a call). A stream that stalls, breaks, or ends before the model had finished is a failure, and not
 * a short answer. So is an end without words and without a call: reasoning may use the whole budget of an answer
 * (`length`), a filter may take it (`content_filter`), and the person would wait for nothing. Only the first end counts:
 * OpenRouter with gpt-oss and NVIDIA Dynamo send a second one (langchain#38349, dynamo#4153), and each would run every tool again.
 *
 * @throws ModelFailure
 */
export async function* readChunks(stream: AsyncIterable<Chunk>, deadline: Deadline): AsyncGenerator<Chunk> {
  const calls = new ToolCalls();
  let said = false;
  let finished: FinishReason | undefined;
  try {
    for await (const chunk of stream) {
      if (finished) {
        yield* usageOf(chunk);
        continue;
      }
      const choice = chunk.choices?.[0];
      for (const call of choice?.delta?.tool_calls ?? []) calls.add(call);
      said ||= hasWords(choice?.delta?.content);
      // A model that thinks sends its thoughts, or empty words, which nobody hears: the wait for the first word goes on.
      if (said || calls.any) deadline.restart();
      if (choice?.finish_reason) {
        finished = choice.finish_reason;
        deadline.ended();
        yield* ending(chunk, finished, calls);
      } else yield wordsOf(chunk);
    }
  } catch (error) {
    if (deadline.expired) throw deadline.failure();
    if (error instanceof ModelFailure) throw error;
    // What breaks after the end has cost nothing but the count of what was used.
    if (!finished) throw failureOf(error);
  } finally {
    deadline.stop();
  }
  // The client ends a stream quietly when its request was aborted, and our own deadline aborts it.
  if (deadline.expired) throw deadline.failure();
  if (!finished) throw incomplete('The stream ended before the model had finished.');
  if (!said && !calls.any) throw incomplete(`The model ended (${finished}) without a word or a tool call.`);
}

/** What a server counts comes after the end, in a chunk without choices or beside an end that is sent again. */
function* usageOf(chunk: Chunk): Generator<Chunk> {
  if (chunk.usage) yield { ...chunk, choices: [] };
}

const incomplete = (message: string) => new ModelFailure({ kind: 'incomplete', message });

function wordsOf(chunk: Chunk): Chunk {
  const choice = chunk.choices?.[0];
  if (!choice?.delta) return { ...chunk, choices: [] };
  const { tool_calls: _collected, ...delta } = choice.delta;
  return { ...chunk, choices: [{ ...choice, delta }] };
}

function* ending(chunk: Chunk, reason: FinishReason, calls: ToolCalls): Generator<Chunk> {
  const choice = wordsOf(chunk).choices[0];
  if (calls.any && !goodEnds.includes(reason)) throw incomplete(`The model stopped (${reason}) within a tool call.`);
  const last = { delta: {}, index: 0, ...choice };
  for (const call of calls.whole()) {
    yield { ...chunk, usage: null, choices: [{ index: 0, finish_reason: null, delta: { tool_calls: [call] } }] };
  }
  yield { ...chunk, choices: [{ ...last, finish_reason: calls.any ? 'tool_calls' : reason }] };
}
