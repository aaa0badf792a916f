import { expect, test } from 'vitest';
import type { RegisteredTool } from '../shapes.ts';
import { misfit, runTool } from './tools.ts';

const call = (args: unknown, callId: unknown = 'c1') => JSON.stringify({ callId, arguments: args });

async function run(tool: RegisteredTool, payload = call({})) {
  const seen: string[] = [];
  const watch = {
    began: ({ id, label }: { id: string; label: string }) => void seen.push(`began ${id} ${label}`),
    ended: (id: string) => void seen.push(`ended ${id}`),
  };
  const answer = await runTool('show_map', tool, payload, watch).catch((error: Error) => error.message);
  return { answer, seen };
}

test('what the function gives goes to the model, as text or as JSON', async () => {
  expect((await run({ run: () => 'done' })).answer).toBe('done');
  expect((await run({ run: async ({ place }) => ({ shown: place }) }, call({ place: 'Rome' }))).answer).toBe(
    '{"shown":"Rome"}',
  );
  expect((await run({ run: () => undefined })).answer).toBe('null');
});

test('the page sees that it works for the agent, by name or label, also when it fails', async () => {
  expect((await run({ run: () => 1 })).seen).toEqual(['began c1 show_map', 'ended c1']);
  const failed = await run({
    label: 'Showing the map',
    run: () => {
      throw new Error('No map here.');
    },
  });
  expect(failed).toEqual({ answer: 'No map here.', seen: ['began c1 Showing the map', 'ended c1'] });
});

test.for(['', 'null', '[]', '{"callId":1,"arguments":{}}', '{"callId":"c","arguments":[]}', '{"arguments":{}}'])(
  'a call that cannot be read runs nothing: %s',
  async (payload) => {
    expect(await run({ run: () => 'ran' }, payload)).toEqual({ answer: 'The page could not read the call.', seen: [] });
  },
);

test('arguments that the page does not expect run nothing', async () => {
  const parameters = { required: ['place'], properties: { place: { type: 'string' as const } } };
  const { answer, seen } = await run({ run: () => 'ran', parameters }, call({ place: 4 }));
  expect(answer).toBe('The page refused the arguments: "place" must be of type string.');
  expect(seen).toEqual([]);
});

test.for([
  [{ guests: 3 }, undefined],
  [{}, '"guests" is missing.'],
  [{ guests: 2.5 }, '"guests" must be of type integer.'],
  [{ guests: 0 }, '"guests" must be at least 1.'],
  [{ guests: 13 }, '"guests" must be at most 12.'],
  [{ guests: 1, area: 'roof' }, '"area" must be one of inside, garden.'],
  [{ guests: 1, name: 'a'.repeat(9) }, '"name" must have at most 8 characters.'],
  [{ guests: 1, tags: {} }, '"tags" must be of type array.'],
] as const)('%j is judged by the schema', ([args, fault]) => {
  const parameters = {
    required: ['guests'],
    properties: {
      guests: { type: 'integer', minimum: 1, maximum: 12 },
      area: { enum: ['inside', 'garden'] },
      name: { type: 'string', maxLength: 8 },
      tags: { type: 'array' },
    },
  } as const;
  expect(misfit(args, parameters)).toBe(fault);
});

test('a function that does not answer is given up', async () => {
  const { answer } = await run({ timeoutSeconds: 0.01, run: () => new Promise(() => undefined) });
  expect(answer).toBe('The page did not answer within 0.01 s.');
});

test('an answer that no room carries is a failure', async () => {
  expect((await run({ run: () => 'x'.repeat(15_001) })).answer).toContain('longer than 15000');
});
