import { describe, expect, test } from 'vitest';
import type { CompiledTool } from '../../agent-files/definition/compiled.ts';
import { type AskPerson, PersonFault, type PersonFaultKind, type PersonQuestion, runClientTool } from './client.ts';

const showMap: CompiledTool = {
  name: 'show_map',
  description: 'Shows a place.',
  parameters: { type: 'object' },
  timeoutMs: 4_000,
  idempotent: false,
  client: true,
};

const run = (ask: AskPerson, args: Record<string, unknown> = {}) =>
  runClientTool(ask, showMap, { args, callId: 'call_7' });

test("the application is asked under the tool's name, with the call's id and its arguments", async () => {
  const asked: PersonQuestion[] = [];
  const result = await run(
    async (question) => {
      asked.push(question);
      return '{"shown": true}';
    },
    { place: 'Köln' },
  );
  expect(result).toEqual({ status: 'ok', output: { shown: true } });
  expect(asked).toEqual([
    { method: 'show_map', payload: '{"callId":"call_7","arguments":{"place":"Köln"}}', timeoutMs: 4_000 },
  ]);
});

describe('the answer', () => {
  test.for([
    ['text', ' It is shown. ', 'It is shown.'],
    ['nothing', '', 'It worked; there is nothing more to tell.'],
    ['too much', 'é'.repeat(9_000), `${'é'.repeat(7_500)}\n[The answer was longer and was cut here.]`],
  ] as [string, string, string][])('may be %s', async ([, answer, output]) => {
    expect(await run(async () => answer)).toEqual({ status: 'ok', output });
  });

  test('that is no text is a failure', async () => {
    expect(await run(async () => 'a\0b')).toEqual({
      status: 'unknown',
      message:
        "The person's application answered show_map with something that cannot be read. Whether it had an effect is not known.",
    });
  });
});

test('arguments that are too long for the room are not sent', async () => {
  let asked = 0;
  const ask = async () => {
    asked += 1;
    return '';
  };
  expect(await run(ask, { place: 'é'.repeat(7_500) })).toMatchObject({
    status: 'failed',
    message: expect.stringMatching(/did not run/),
  });
  expect(asked).toBe(0);
});

test.for([
  ['absent', 'unknown', /could not be reached for show_map; they may have gone\. Whether/],
  ['no_handler', 'failed', /cannot do show_map, so it did not run\.$/],
  ['timeout', 'unknown', /did not answer show_map within 4 seconds\. Whether/],
  ['lost', 'unknown', /connection was lost while show_map ran\. Whether/],
  ['too_long', 'failed', /too long .* did not run/],
  ['answer_too_long', 'unknown', /more than it can send\. Whether/],
  ['failed', 'unknown', /failed at show_map\. Whether/],
] as [PersonFaultKind, string, RegExp][])(
  'a fault (%s) is %s, and a sentence for the model',
  async ([kind, status, sentence]) => {
    const result = await run(() => Promise.reject(new PersonFault(kind, 'at Object.<anonymous> (/srv/app.js:1)')));
    expect(result.status).toBe(status);
    expect(result.status === 'ok' ? '' : result.message).toMatch(sentence);
    expect(result.status === 'ok' ? '' : result.message).not.toContain('/srv');
  },
);

test('a refusal is told in the words of the application, on one line', async () => {
  const result = await run(() => Promise.reject(new PersonFault('refused', 'The map is\nclosed.')));
  expect(result).toEqual({
    status: 'failed',
    message: "The person's application refused show_map: The map is closed.",
  });
});

test('an error that is none of the room is told as little as any', async () => {
  const result = await run(() => Promise.reject(new Error('at Object.<anonymous> (/srv/app.js:1)')));
  expect(result.status === 'ok' ? '' : result.message).toMatch(/^The person's application failed at show_map\./);
});
