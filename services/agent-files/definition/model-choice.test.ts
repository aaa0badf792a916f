import { expect, test } from 'vitest';
import type { CompiledModel } from './compiled.ts';
import { modelHere, providerHere } from './model-choice.ts';

const auto = { provider: 'auto', timeoutMs: 1 } as CompiledModel;
const found = { PARLEY_LOCAL_MODEL: 'http://127.0.0.1:11434/v1 llama3.2:3b' };

test('an agent that names no model is answered by the one on this machine, and by OpenAI where there is a key', () => {
  expect(modelHere(auto, found)).toMatchObject({
    provider: 'openai',
    baseUrl: 'http://127.0.0.1:11434/v1',
    name: 'llama3.2:3b',
  });
  const withKey = modelHere(auto, { ...found, OPENAI_API_KEY: 'sk-1' });
  expect([withKey.provider, withKey.baseUrl]).toEqual(['openai', undefined]);
});

test('an agent that names its model keeps it, and scenarios keep the script', () => {
  expect(modelHere({ ...auto, provider: 'scripted' }, found).provider).toBe('scripted');
  expect(providerHere(auto, found)).toBe('scripted');
  expect(modelHere(auto, { PARLEY_LOCAL_MODEL: 'off' }).provider).toBe('scripted');
});
