import { expect, test } from 'vitest';
import type { CompiledAgent } from '../../agent-files/definition/compiled.ts';
import type { HostSpeech } from '../../store/tables/hosts.ts';
import { keysMissingOn } from './speech.ts';

const byDeepgram = {
  ...{ voiceAgentKind: 'pipeline', model: { provider: 'auto' }, modelFallbacks: [] },
  speech: { recognition: [{ provider: 'deepgram' }], synthesis: [] },
} as unknown as CompiledAgent;
const missing = ['Recognition by deepgram needs a key, and DEEPGRAM_API_KEY is not set here.'];
const host = (abilities: HostSpeech['abilities']): HostSpeech => ({ takes_spoken: true, abilities, is_there: true });

test('a key is missing that no host has', () => {
  expect(keysMissingOn(byDeepgram, [host(['voice:en']), host(['key:OPENAI_API_KEY'])])).toEqual(missing);
  expect(keysMissingOn(byDeepgram, [host([]), host(['key:DEEPGRAM_API_KEY'])])).toEqual([]);
});

test('a host that can do nothing at all has said so; of one that does not tell nothing is known', () => {
  expect(keysMissingOn(byDeepgram, [host([])])).toEqual(missing);
  expect(keysMissingOn(byDeepgram, [host(null)])).toEqual([]);
  expect(keysMissingOn(byDeepgram, [])).toEqual([]);
});
