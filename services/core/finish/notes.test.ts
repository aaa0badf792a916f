import { expect, test } from 'vitest';
import type { CompiledTool } from '../../agent-files/definition/compiled.ts';
import { collectedBy, notesOf } from './notes.ts';

const collect = (properties: Record<string, unknown>): { tools: CompiledTool[] } => ({
  tools: [
    {
      name: 'collect',
      description: 'Notes.',
      parameters: { type: 'object', properties },
      timeoutMs: 1,
      idempotent: true,
      builtin: 'collect',
    },
  ],
});
const call = (given: Record<string, unknown>, status: 'ok' | 'failed' = 'ok', name = 'collect') => ({
  name,
  status,
  arguments: given,
});

test('the last word on each field counts, and calls that failed do not', () => {
  const calls = [
    call({ guests: 4, area: 'inside' }),
    call({ guests: 5 }),
    call({ guests: 99 }, 'failed'),
    call({ guests: 7 }, 'ok', 'book_table'),
  ];
  const collected = collectedBy(calls, collect({ guests: {}, area: {} }));
  expect([...collected]).toEqual([
    ['guests', 5],
    ['area', 'inside'],
  ]);
  expect([...notesOf(collected)]).toEqual([
    ['guests', '5'],
    ['area', 'inside'],
  ]);
});

test('notes without declared fields are field and value', () => {
  const calls = [call({ field: 'name', value: 'Ada\u0000\nBrown' }), call({ field: 'name', value: 'Ada Brown' })];
  expect([...notesOf(collectedBy(calls, collect({ field: {}, value: {} })))]).toEqual([['name', 'Ada Brown']]);
});

test('there are not more than a summary bears, and none without the tool', () => {
  const many = Array.from({ length: 100 }, (_, i) => call({ field: `f${i}`, value: 'x'.repeat(1_000) }));
  const notes = notesOf(collectedBy(many, collect({ field: {}, value: {} })));
  expect(notes.size).toBe(30);
  expect([...notes.values()].every((note) => note.length <= 160)).toBe(true);
  expect(collectedBy(many, { tools: [] }).size).toBe(0);
  expect(collectedBy(many, undefined).size).toBe(0);
});
