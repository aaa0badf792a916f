import { expect, test } from 'vitest';
import type { CompiledAgent } from './compiled.ts';
import { missingKeys } from './provider-keys.ts';

const agent = (parts: object): CompiledAgent =>
  ({
    voiceAgentKind: 'pipeline',
    model: { provider: 'auto' },
    modelFallbacks: [],
    ...parts,
  }) as unknown as CompiledAgent;

test('keys of declared providers are named by the variable that should hold them', () => {
  const speech = {
    recognition: [{ provider: 'deepgram' }, { provider: 'local' }],
    synthesis: [{ provider: 'elevenlabs', apiKey: { env: 'OUR_VOICE_KEY' } }, { provider: 'cartesia' }],
  };
  expect(missingKeys(agent({ speech }), { CARTESIA_API_KEY: 'x' })).toEqual([
    'Recognition by deepgram needs a key, and DEEPGRAM_API_KEY is not set here.',
    'Speech by elevenlabs needs a key, and OUR_VOICE_KEY is not set here.',
  ]);
});

test('a model of a server of one’s own needs none, unless it names one', () => {
  const model = { provider: 'openai', baseUrl: 'http://127.0.0.1:11434/v1' };
  expect(missingKeys(agent({ model }), {})).toEqual([]);
  expect(missingKeys(agent({ model: { ...model, apiKey: { env: 'OUR_KEY' } } }), {})).toHaveLength(1);
  expect(missingKeys(agent({ model: { provider: 'openai' } }), {})).toEqual([
    'The model of openai needs a key, and OPENAI_API_KEY is not set here.',
  ]);
});

test('an agent on what this machine has needs no key', () => {
  expect(missingKeys(agent({ speech: { recognition: [], synthesis: [{ provider: 'local' }] } }), {})).toEqual([]);
});

test('a speech-to-speech agent needs the key of its model', () => {
  expect(missingKeys(agent({ voiceAgentKind: 'realtime' }), {})).toEqual([
    'The speech-to-speech model of openai needs a key, and OPENAI_API_KEY is not set here.',
  ]);
});
