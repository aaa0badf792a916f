import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type ToolCallDelta, ToolCalls } from './tool-calls.ts';

const collect = (deltas: Partial<ToolCallDelta>[]) => {
  const calls = new ToolCalls();
  for (const delta of deltas) calls.add(delta as ToolCallDelta);
  return calls.whole();
};

const fn = (name?: string, args?: string) => ({
  function: { ...(name && { name }), ...(args !== undefined && { arguments: args }) },
});

test('fragments become one whole call, however the arguments were cut', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.integer({ min: 1, max: 9 }), (args, size) => {
      const text = JSON.stringify(args);
      const pieces = Array.from({ length: Math.ceil(text.length / size) }, (_, at) =>
        text.slice(at * size, (at + 1) * size),
      );
      const [call, ...others] = collect([
        { index: 0, id: 'a', ...fn('book', '') },
        ...pieces.map((piece) => ({ index: 0, ...fn(undefined, piece) })),
      ]);
      expect(others).toEqual([]);
      expect(call).toEqual({ index: 0, id: 'a', type: 'function', function: { name: 'book', arguments: text } });
    }),
  );
});

test.for([
  [
    'ids and indexes',
    [
      { index: 0, id: 'a', ...fn('one', '{}') },
      { index: 1, id: 'b', ...fn('two', '{}') },
    ],
  ],
  [
    'ids, with the index 0 for all',
    [
      { index: 0, id: 'a', ...fn('one', '{}') },
      { index: 0, id: 'b', ...fn('two', '{}') },
    ],
  ],
  [
    'indexes without ids',
    [
      { index: 0, ...fn('one', '{') },
      { index: 0, ...fn(undefined, '}') },
      { index: 1, ...fn('two', '{}') },
    ],
  ],
  ['neither', [fn('one', '{}'), fn('two', '{}')]],
  [
    'id and name in every fragment',
    [
      { index: 0, id: 'a', ...fn('one', '{') },
      { index: 0, id: 'a', ...fn('one', '}') },
      { index: 1, id: 'b', ...fn('two', '{}') },
    ],
  ],
  [
    'fragments in turn',
    [
      { index: 0, id: 'a', ...fn('one', '{') },
      { index: 1, id: 'b', ...fn('two', '{') },
      { index: 0, ...fn(undefined, '}') },
      { index: 1, ...fn(undefined, '}') },
    ],
  ],
] as [string, Partial<ToolCallDelta>[]][])('two calls are told apart with %s', ([, deltas]) => {
  const calls = collect(deltas);
  expect(calls.map((call) => call.function)).toEqual([
    { name: 'one', arguments: '{}' },
    { name: 'two', arguments: '{}' },
  ]);
  expect(new Set(calls.map((call) => call.id)).size).toBe(2);
  expect(calls.map((call) => call.index)).toEqual([0, 1]);
});

test('no arguments are an empty object', () => {
  expect(collect([{ index: 0, id: 'a', ...fn('end_call', '') }])[0]?.function?.arguments).toBe('{}');
});

test('arguments that are no JSON become a text that says so', () => {
  const [call] = collect([{ index: 0, id: 'a', ...fn('book', '{"name": "Mei') }]);
  expect(JSON.parse(call?.function?.arguments ?? '')).toMatch(/not valid JSON.*Mei/);
});
