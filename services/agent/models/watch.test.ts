import { expect, test } from 'vitest';
import { ModelFailure } from './failure.ts';
import { type ModelInUse, modelFails, modelIsBack, watchModels } from './watch.ts';

const model: ModelInUse = { provider: 'openai', maxOutputTokens: 100, timeoutMs: 1_000 };
const refused = new ModelFailure({ kind: 'unauthorized', message: 'Incorrect API key provided', statusCode: 401 });

function watching() {
  const told: [unknown, string][] = [];
  const tell = (facts: unknown, text: string) => void told.push([facts, text]);
  return { told, watch: watchModels({ warn: tell as never, info: tell as never }) };
}

const which = { provider: 'openai', model: 'gpt-4.1-mini', server: 'https://api.openai.com/v1' };

test('that a model does not answer is logged once, with its name, address and key, and again after it has answered', () => {
  const { told, watch } = watching();
  for (const agent of ['desk', 'shop']) watch.failed(agent, model, refused);
  const first = {
    ...{ agent: 'desk', ...which, key: 'OPENAI_API_KEY', kind: 'unauthorized', statusCode: 401 },
    said: 'Incorrect API key provided',
  };
  expect(told).toEqual([[first, modelFails]]);
  watch.answered(model);
  watch.answered(model);
  watch.failed('shop', model, refused);
  expect(told.slice(1)).toEqual([
    [which, modelIsBack],
    [{ ...first, agent: 'shop' }, modelFails],
  ]);
});

test('another failure of the same model is news, and so is another model', () => {
  const { told, watch } = watching();
  watch.failed('desk', model, refused);
  watch.failed('desk', model, new ModelFailure({ kind: 'unavailable', message: 'overloaded', statusCode: 503 }));
  watch.failed('desk', { ...model, name: 'gpt-5', baseUrl: 'http://127.0.0.1:9/v1' }, refused);
  expect(told.map(([facts]) => facts)).toMatchObject([
    { statusCode: 401 },
    { statusCode: 503 },
    { model: 'gpt-5', server: 'http://127.0.0.1:9/v1' },
  ]);
});

test('a conversation that is longer than the context is no trouble of the model', () => {
  const { told, watch } = watching();
  const message = 'context_length_exceeded';
  watch.failed('desk', model, new ModelFailure({ kind: 'rejected', message, statusCode: 400, tooLong: true }));
  expect(told).toEqual([]);
});

test('a connection that failed says what it failed of', () => {
  const { told, watch } = watching();
  const cause = new Error('Connection error.', {
    cause: new TypeError('fetch failed', { cause: Object.assign(new Error('refused'), { code: 'ECONNREFUSED' }) }),
  });
  watch.failed('desk', model, new ModelFailure({ kind: 'unavailable', message: 'Connection error.', cause }));
  expect(told.map(([facts]) => facts)).toMatchObject([{ kind: 'unavailable', said: 'ECONNREFUSED' }]);
});
