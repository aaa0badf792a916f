import { initializeLogger } from '@livekit/agents';
import { AudioFrame } from '@livekit/rtc-node';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  type Abilities,
  findAbilities,
  type LocalEngines,
  openLocalEngines,
  openSpeech,
  type Speech,
} from '../../services/agent/speech/speech.ts';
import type { ScriptRule } from '../../services/agent-files/definition/compiled.ts';
import { makeLogger } from '../../services/process/logger.ts';
import type { Variables } from '../../services/process/variables.ts';
import { eventually } from '../support/eventually.ts';
import { microphoneRate, noise, spoken } from '../support/people/speech-sound.ts';
import { compiledAgent } from '../support/world/compiled-agent.ts';
import { localSpeechVariables } from '../support/world/local-speech.ts';

initializeLogger({ pretty: false, level: 'silent' });
const logger = makeLogger({ service: 'test', level: 'silent' });

const rule = (when: string[], en: string, de: string, needs: ScriptRule['needs'] = []): ScriptRule => ({
  when,
  needs,
  say: { en, de },
  failed: {},
  end: false,
});

const script = {
  rules: [
    rule(
      ['\\b(?:book|reserve)\\b.{0,20}table', 'tisch.{0,20}reservier|reservier.{0,20}tisch'],
      'I have reserved a table.',
      'Ich kann einen Tisch reservieren.',
      [
        {
          name: 'guests',
          pattern: ['(?<guests>\\d{1,2}) (?:people|personen)'],
          ask: { en: 'How many people?', de: 'Für wie viele Personen?' },
        },
      ],
    ),
    rule(['\\bopen(?:ing)? hours\\b', 'öffnungszeit'], 'Our opening hours are …', 'Die Öffnungszeiten sind …'),
  ],
  fallback: { en: 'Sorry?', de: 'Wie bitte?' },
};
const lines = { modelUnavailable: '…', tooManyMessages: '…', limitReached: '…' };
const definition = compiledAgent({
  definition: {
    script,
    languages: [
      { code: 'en', name: 'English', voices: [], lines },
      { code: 'de', name: 'Deutsch', voices: [], lines },
    ],
  },
});

let env: Variables;
let engines: LocalEngines;
let abilities: Abilities;

beforeAll(async () => {
  env = { ...process.env, ...(await localSpeechVariables()) };
  engines = openLocalEngines({ env, logger });
  abilities = await findAbilities(env, engines);
});

afterAll(() => engines.close());

const open = (language: string): Promise<Speech> =>
  openSpeech(definition, { language, voice: undefined }, { env, logger, engines, abilities });

/** What recognition makes of one utterance, with the pause before and after it that voice detection leaves. */
async function heard(speech: Speech, ...sounds: Int16Array[]): Promise<string> {
  const whole = Int16Array.from(sounds.flatMap((sound) => [...sound]));
  const { alternatives } = await speech.stt.recognize(new AudioFrame(whole, microphoneRate, 1, whole.length));
  return alternatives?.[0].text ?? '';
}

const pause = noise(400, 30);

test.each([
  [
    'en',
    'en-us',
    { 'I would like to book a table': /book.*table/i, 'opening hours': /^opening hours$/i, '7 people': /^7 people$/ },
  ],
  [
    'de',
    'de',
    {
      'ich möchte einen Tisch reservieren': /tisch.*reservier/i,
      Öffnungszeiten: /öffnungszeit/i,
      '4 Personen': /^4 personen$/i,
    },
  ],
])('what makes the rules match is heard: %s', async (language, voice, expected) => {
  const speech = await open(language);
  for (const [text, pattern] of Object.entries(expected)) {
    const sound = await spoken(text, { voice });
    expect(await heard(speech, pause, sound, pause)).toMatch(pattern);
  }
  await speech.close();
});

test('noise and silence are not heard as words', async () => {
  const speech = await open('en');
  expect(await heard(speech, noise(2_000))).toBe('');
  expect(await heard(speech, new Int16Array(microphoneRate))).toBe('');
  await speech.close();
});

test('the recogniser that is killed is started again, and nothing is lost but what it was at', async () => {
  const speech = await open('en');
  const sound = await spoken('opening hours');
  await heard(speech, sound, pause);
  const before = engines.byGrammar?.pid ?? 0;
  process.kill(before, 'SIGKILL');
  await eventually('the recogniser is gone', () => engines.byGrammar?.pid !== before);
  expect(await heard(speech, pause, sound, pause)).toBe('opening hours');
  expect(engines.byGrammar?.pid).not.toBe(before);
  await speech.close();
});

test('a voice that espeak-ng does not have is replaced by that of the language', async () => {
  const voices = [{ id: 'nobody', name: 'Nobody', default: true }];
  const languages = definition.languages.map((language) => ({ ...language, voices }));
  const speech = await openSpeech(
    { ...definition, languages },
    { language: 'de', voice: 'nobody' },
    { env, logger, engines, abilities },
  );
  const stream = speech.tts.stream();
  stream.pushText('Guten Tag.');
  stream.endInput();
  let samples = 0;
  for await (const audio of stream) samples += typeof audio === 'symbol' ? 0 : audio.frame.samplesPerChannel;
  expect(samples).toBeGreaterThan(5_000);
  await speech.close();
});

test('a provider that is declared for one language leaves the others to this machine', async () => {
  const synthesis = [
    { provider: 'cartesia' as const, apiKey: { env: 'NOBODY_SETS_THIS' }, languages: ['en'], speed: 1 },
  ];
  const settings = {
    interruption: { enabled: true, minDurationMs: 200, minWords: 0 },
    endpointing: { minSilenceMs: 400, maxDelayMs: 3_000 },
  };
  const speaking = { ...definition, speech: { recognition: [], synthesis, ...settings } };
  const openIn = (language: string) =>
    openSpeech(speaking, { language, voice: undefined }, { env, logger, engines, abilities });
  await expect(openIn('en')).rejects.toThrow('It needs the variable NOBODY_SETS_THIS.');
  const speech = await openIn('de');
  expect(await heard(speech, pause, await spoken('Öffnungszeiten', { voice: 'de' }), pause)).toMatch(/öffnungszeit/i);
  await speech.close();
});

test('a text becomes sound as sentences come, and an interruption ends it', async () => {
  const speech = await open('de');
  const stream = speech.tts.stream();
  stream.pushText('Guten Tag im Gasthaus zur Linde. Was kann ich für Sie tun? ');
  let samples = 0;
  for await (const audio of stream) {
    if (typeof audio === 'symbol') break;
    samples += audio.frame.samplesPerChannel;
    if (samples > 5_000) break;
  }
  stream.close();
  for await (const audio of stream) expect(typeof audio).not.toBe('string');
  expect(samples).toBeGreaterThan(5_000);
  await speech.close();
});
