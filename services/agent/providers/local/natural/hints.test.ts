import { expect, test } from 'vitest';
import type { CompiledAgent } from '../../../../agent-files/definition/compiled.ts';
import { hintsOf } from './hints.ts';

const agent = {
  name: 'Gasthaus zur Linde',
  speech: { recognition: [{ provider: 'local', keywords: ['Kochstraße'] }] },
  languages: [
    { code: 'en', phrases: ['on the {ordinal} of November', 'My name is {name}', 'I am in Berlin'] },
    { code: 'de', phrases: ['ich möchte einen Tisch'] },
  ],
} as unknown as CompiledAgent;

test('keywords, the agent’s name, and names in its phrases are hints; common words are none', () => {
  expect(hintsOf(agent, 'en')).toEqual(['Kochstraße', 'Gasthaus zur Linde', 'November', 'Berlin']);
  expect(hintsOf(agent, 'de')).toEqual(['Kochstraße', 'Gasthaus zur Linde']);
});
