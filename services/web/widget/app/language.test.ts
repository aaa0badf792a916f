import { expect, test } from 'vitest';
import { settled } from '../loader/attributes.ts';
import { languageOf, unknownTo, voiceOf } from './language.ts';

const voices = [{ id: 'eva', name: 'Eva', default: true }];
const facts = {
  languages: ['en', 'de', 'pt-BR'],
  languageConfigs: [
    { code: 'en', name: 'English', availableVoices: voices },
    { code: 'de', name: 'Deutsch', availableVoices: [] },
  ],
  defaultLanguage: 'en',
  voiceAgentKind: 'pipeline' as const,
  widget: {},
};

test.for([
  [['de-AT', 'en'], 'de'],
  [['fr', 'pt'], 'pt-BR'],
  [['PT-br'], 'pt-BR'],
  [['ja'], 'en'],
  [[], 'en'],
] as const)('a browser that asks for %j gets %s', ([wanted, language]) => {
  expect(languageOf(facts, settled({}), wanted)).toBe(language);
});

test('the language that is set wins over the browser, where the agent has it', () => {
  expect(languageOf(facts, settled({ language: 'de' }), ['en'])).toBe('de');
  expect(languageOf(facts, settled({ language: 'ja' }), ['de'])).toBe('en');
});

test('a voice that the language does not have is not asked for', () => {
  expect(voiceOf(facts, settled({ voiceId: 'eva' }), 'en')).toBe('eva');
  expect(voiceOf(facts, settled({ voiceId: 'eva' }), 'de')).toBeUndefined();
});

test('what is set and the agent does not have is told with what it has', () => {
  const faults = (given: Parameters<typeof settled>[0], chosen = 'en') => unknownTo(facts, settled(given), chosen);
  expect(faults({ language: 'ja' })).toEqual(['the agent does not speak "ja" (allowed: en, de, pt-BR); "en" is used.']);
  expect(faults({ voiceId: 'bob' })).toEqual([
    'the agent has no voice "bob" in "en" (allowed: eva); its default is used.',
  ]);
  expect(faults({ voiceId: 'eva' }, 'de')).toEqual([
    'the agent has no voice "eva" in "de" (allowed: none); its default is used.',
  ]);
  expect(faults({ language: 'DE', voiceId: 'eva' }, 'en')).toEqual([]);
});
