import { expect, test } from 'vitest';
import type { CompiledAgent } from './compiled.ts';
import { keysIn, speechNeeds, unmetNeeds, voiceNeeds } from './speech-needs.ts';

const agent = (parts: object): CompiledAgent =>
  ({ voiceAgentKind: 'pipeline', languages: [], ...parts }) as unknown as CompiledAgent;

test('an agent that names no provider needs the engines of a host, in the language of the session', () => {
  expect(speechNeeds(agent({ script: {} }), 'de-AT')).toEqual([
    ['dictation', 'dictation:de', 'grammar:de'],
    ['voice:de'],
  ]);
  expect(speechNeeds(agent({}), 'zh-TW')).toEqual([['dictation', 'dictation:zh'], ['voice:cmn']]);
  const languages = [{ code: 'en', phrases: ['hello'] }, { code: 'de' }];
  expect(speechNeeds(agent({ languages }), 'en')[0]).toEqual(['dictation', 'dictation:en', 'grammar:en']);
  expect(speechNeeds(agent({ languages }), 'de')[0]).toEqual(['dictation', 'dictation:de']);
});

test('any one provider of a list will do, by the variable that holds its key', () => {
  const speech = {
    recognition: [{ provider: 'deepgram' }, { provider: 'openai', apiKey: { env: 'OUR_KEY' } }],
    synthesis: [{ provider: 'elevenlabs' }, { provider: 'local' }],
  };
  expect(speechNeeds(agent({ speech }), 'en')).toEqual([
    ['key:DEEPGRAM_API_KEY', 'key:OUR_KEY'],
    ['key:ELEVEN_API_KEY', 'voice:en'],
  ]);
});

test('a provider that is declared for some languages is used in those, and where none is this machine', () => {
  const speech = {
    recognition: [
      { provider: 'deepgram', languages: ['en'] },
      { provider: 'openai', languages: ['en', 'pt-BR'] },
    ],
    synthesis: [
      { provider: 'elevenlabs', languages: ['pt-BR'] },
      { provider: 'cartesia', languages: ['en'] },
    ],
  };
  const needs = (language: string) => speechNeeds(agent({ speech, script: {} }), language);
  expect(needs('en')).toEqual([['key:DEEPGRAM_API_KEY', 'key:OPENAI_API_KEY'], ['key:CARTESIA_API_KEY']]);
  expect(needs('pt-BR')).toEqual([['key:OPENAI_API_KEY'], ['key:ELEVEN_API_KEY']]);
  expect(needs('de')).toEqual([['dictation', 'dictation:de', 'grammar:de'], ['voice:de']]);
  // A voice that does not say whose it is belongs to the first that speaks its language.
  const voice = { id: 'eva', name: 'Eva', default: true };
  expect(voiceNeeds(agent({ speech }), 'en', voice)).toEqual([['key:CARTESIA_API_KEY']]);
});

test('an agent that wants exactness needs a grammar, and no dictation will do', () => {
  const speech = { recognition: [{ provider: 'local', engine: 'grammar' }], synthesis: [] };
  expect(speechNeeds(agent({ speech, script: {} }), 'en')[0]).toEqual(['grammar:en']);
});

test('a voice of Piper’s is one of its language', () => {
  const speech = { recognition: [], synthesis: [{ provider: 'local' }] };
  const voice = { id: 'joe', name: 'Joe', default: true, model: 'en_US-joe-medium' };
  expect(voiceNeeds(agent({ speech }), 'en', voice)).toEqual([['voice:en']]);
});

test('a speech-to-speech agent needs the key of its model, whatever the language', () => {
  const realtime = { provider: 'openai', apiKey: { env: 'OUR_KEY' } };
  expect(speechNeeds(agent({ voiceAgentKind: 'realtime', realtime }), 'en')).toEqual([['key:OUR_KEY']]);
});

test('a server of one’s own is never sent the key of the provider’s account', () => {
  const sent = (baseUrl: string) => speechNeeds(agent({ voiceAgentKind: 'realtime', realtime: { baseUrl } }), 'en');
  for (const baseUrl of [
    'https://collects.example.com/v1',
    'http://api.openai.com/v1',
    'https://api.openai.com.example.com',
  ])
    expect(unmetNeeds(sent(baseUrl), new Set(['key:OPENAI_API_KEY']))).toHaveLength(1);
  expect(sent('https://eu.api.openai.com/v1')).toEqual([['key:OPENAI_API_KEY']]);
});

test('a voice needs the provider that has it, among those that speak for the agent', () => {
  const speech = { recognition: [], synthesis: [{ provider: 'elevenlabs' }, { provider: 'local' }] };
  const needs = (voice: object) =>
    voiceNeeds(agent({ speech }), 'en', { id: 'eva', name: 'Eva', default: true, ...voice });
  expect(needs({})).toEqual([['key:ELEVEN_API_KEY']]);
  expect(needs({ provider: 'local', model: 'de+f3' })).toEqual([['voice:de']]);
  expect(needs({ provider: 'local', model: 'en-us' })).toEqual([['voice:en']]);
  // Nobody: an empty list is never met.
  expect(needs({ provider: 'cartesia' })).toEqual([[]]);
  expect(unmetNeeds(needs({ provider: 'cartesia' }), new Set(['key:CARTESIA_API_KEY']))).toHaveLength(1);
  expect(
    voiceNeeds(agent({ voiceAgentKind: 'realtime' }), 'en', { id: 'coral', name: 'Coral', default: true }),
  ).toEqual([]);
});

test('what is missing is named, by all that would mend it', () => {
  const needs = speechNeeds(agent({ script: {} }), 'de');
  expect(unmetNeeds(needs, new Set(['voice:de', 'dictation']))).toEqual([]);
  expect(unmetNeeds(needs, new Set(['voice:de', 'grammar:en']))).toEqual([
    'It needs a recogniser of your own (PARLEY_SPEECH_RECOGNIZER), or a model that was fetched for "de" (PARLEY_SPEECH_MODELS), or pocketsphinx (PARLEY_SPEECH_PYTHON) and espeak-ng with the language "de".',
  ]);
});

test('a host tells names of variables, those that agents can name, and no values', () => {
  expect(keysIn({ OUR_KEY: 'secret', EMPTY: '', npm_config: 'x', _: 'y' })).toEqual(['key:OUR_KEY']);
});
