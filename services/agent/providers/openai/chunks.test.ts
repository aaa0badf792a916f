import type OpenAI from 'openai';
import { expect, test } from 'vitest';
import { readChunks } from './chunks.ts';
import { Deadline } from './deadline.ts';

type Chunk = OpenAI.ChatCompletionChunk;

const chunk = (choice: object | undefined, usage: object | null = null) =>
  ({ id: 'c', choices: choice ? [{ index: 0, delta: {}, finish_reason: null, ...choice }] : [], usage }) as Chunk;

async function read(...chunks: Chunk[]): Promise<Chunk[]> {
  async function* stream() {
    yield* chunks;
  }
  const given: Chunk[] = [];
  for await (const each of readChunks(stream(), new Deadline(60_000))) given.push(each);
  return given;
}

const call = { index: 0, id: 'call_1', function: { name: 'book', arguments: '{"guests":2}' } };
const usage = { prompt_tokens: 7, completion_tokens: 3, total_tokens: 10 };

const callsIn = (chunks: readonly Chunk[]) => chunks.flatMap(({ choices }) => choices[0]?.delta.tool_calls ?? []);
const endsIn = (chunks: readonly Chunk[]) => chunks.flatMap(({ choices }) => choices[0]?.finish_reason ?? []);

test('an end that is sent twice ends the answer once, with each tool call once', async () => {
  const chunks = await read(
    chunk({ delta: { tool_calls: [call] } }),
    chunk({ finish_reason: 'tool_calls' }),
    chunk({ finish_reason: 'tool_calls' }),
    chunk(undefined, usage),
  );
  expect(callsIn(chunks)).toHaveLength(1);
  expect(endsIn(chunks)).toEqual(['tool_calls']);
  expect(chunks.at(-1)?.usage).toEqual(usage);
});

test('what comes after the end is not said, and what was used is counted', async () => {
  const chunks = await read(
    chunk({ delta: { content: 'Hello.' } }),
    chunk({ finish_reason: 'stop' }),
    chunk({ delta: { content: ' Again.', tool_calls: [call] }, finish_reason: 'stop' }, usage),
  );
  expect(chunks.map(({ choices }) => choices[0]?.delta.content ?? '').join('')).toBe('Hello.');
  expect([callsIn(chunks), endsIn(chunks), chunks.at(-1)?.usage]).toEqual([[], ['stop'], usage]);
});
