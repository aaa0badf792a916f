import type OpenAI from 'openai';
import { expect, test } from 'vitest';
import { readChunks } from './chunks.ts';
import { Deadline } from './deadline.ts';

type Chunk = OpenAI.ChatCompletionChunk;

const chunk = (choice: object | undefined, usage: object | null = null) =>
  ({ id: 'c', choices: choice ? [{ index: 0, delta: {}, finish_reason: null, ...choice }] : [], usage }) as Chunk;

async function readInto(given: Chunk[], ...chunks: Chunk[]): Promise<void> {
  async function* stream() {
    yield* chunks;
  }
  for await (const each of readChunks(stream(), new Deadline(60_000))) given.push(each);
}

async function read(...chunks: Chunk[]): Promise<Chunk[]> {
  const given: Chunk[] = [];
  await readInto(given, ...chunks);
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

test.for(['stop', 'length', 'content_filter'] as const)(
  'an answer that ends with %s and has neither words nor a call is a failure, and what it used is counted',
  async (reason) => {
    const given: Chunk[] = [];
    const reading = readInto(
      given,
      chunk({ delta: { role: 'assistant', content: '' } }),
      chunk({ delta: { content: '\n' } }),
      chunk({ finish_reason: reason }),
      chunk(undefined, usage),
    );
    await expect(reading).rejects.toMatchObject({ kind: 'incomplete', message: expect.stringContaining(reason) });
    expect(given.at(-1)?.usage).toEqual(usage);
  },
);

test('words that the length limit cut are an answer', async () => {
  const chunks = await read(chunk({ delta: { content: 'We open at' } }), chunk({ finish_reason: 'length' }));
  expect(endsIn(chunks)).toEqual(['length']);
});

test('an answer that has ended is whole, whatever the connection does then', async () => {
  async function* broken() {
    yield chunk({ delta: { content: 'Hello.' } });
    yield chunk({ finish_reason: 'stop' });
    throw new TypeError('terminated');
  }
  const given: Chunk[] = [];
  for await (const each of readChunks(broken(), new Deadline(60_000))) given.push(each);
  expect(endsIn(given)).toEqual(['stop']);
});
