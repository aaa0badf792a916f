import { initializeLogger } from '@livekit/agents';
import { AudioFrame } from '@livekit/rtc-node';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { findAbilities, openLocalEngines, openSpeech, type Speech } from '../../services/agent/speech/speech.ts';
import type { CompiledAgent } from '../../services/agent-files/definition/compiled.ts';
import { loadAgents } from '../../services/agent-files/load.ts';
import { makeLogger } from '../../services/process/logger.ts';
import { microphoneRate, noise, spoken } from '../support/people/speech-sound.ts';
import { localSpeechVariables } from '../support/world/local-speech.ts';

initializeLogger({ pretty: false, level: 'silent' });
const logger = makeLogger({ service: 'test', level: 'silent' });

/** What somebody may say to the agents that ship, by agent and voice, as it stands in the transcript. */
const sentences = {
  restaurant: {
    'en-us': [
      "I'd like to book a table please",
      'a table for 4 people',
      'there will be 4 of us',
      'Friday',
      'at half past 7',
      'under the name Miller',
      'a table for 2 people tomorrow',
      'on the 24th of November',
      'never mind',
      'when are you open',
      "what's on the menu",
      'do you have something vegan',
      "I'm allergic to nuts",
      'how do I get to you',
      'is there parking',
      'can I bring my dog',
      'I need to cancel my reservation',
      'can I talk to a human',
      'thank you',
      "no thanks that's all goodbye",
    ],
    de: [
      'Guten Tag ich möchte einen Tisch reservieren',
      'einen Tisch für 4 Personen',
      'wir sind zu fünft',
      'morgen Abend',
      'um halb 8',
      'mein Name ist Schmidt',
      'am 24. November',
      'wann habt ihr geöffnet',
      'was gibt es zu essen',
      'haben Sie etwas Veganes',
      'ich habe eine Glutenunverträglichkeit',
      'wie komme ich zu Ihnen',
      'gibt es Parkplätze',
      'darf mein Hund mitkommen',
      'kann ich mit Karte zahlen',
      'ich muss meine Reservierung stornieren',
      'kann ich mit einem Menschen sprechen',
      'vielen Dank tschüss',
    ],
  },
  support: {
    'en-us': [
      "where's my order",
      'how long does delivery take',
      'how do I return something',
      'I want my money back',
      'yes please',
      'my chair arrived damaged',
      'can I cancel my order',
      'how long is the warranty',
      'I need an invoice',
      "I don't know the number",
      'I want to talk to a human',
      "no thanks that's all goodbye",
    ],
  },
};

let agents: CompiledAgent[];
let env: NodeJS.ProcessEnv;
let engines: ReturnType<typeof openLocalEngines>;

beforeAll(async () => {
  env = { ...process.env, ...(await localSpeechVariables()) };
  engines = openLocalEngines({ env, logger });
  agents = (await loadAgents('agents')).agents.map(({ agent }) => agent);
});

function shipped(name: string): CompiledAgent {
  const found = agents.find(({ agent }) => agent === name);
  if (!found) throw new Error(`the ${name} is gone`);
  return found;
}

afterAll(() => engines?.close());

const pause = noise(400, 30);
/**
 * Recognition adds noise, and no two noises are alike: of 444 sentences with these voices all were understood the first time, on a slower
 * processor all of 1 000 but "at half past 7", 17 times of 20.
 */
const mostTimes = 6;

/** What is understood of it, said again when it was something else. */
async function heard({ stt }: Speech, sound: Int16Array, expected: string): Promise<string> {
  const samples = Int16Array.from([...pause, ...sound, ...pause]);
  let understood = '';
  for (let time = 0; time < mostTimes && understood !== expected; time += 1) {
    const { alternatives } = await stt.recognize(new AudioFrame(samples, microphoneRate, 1, samples.length));
    understood = plain(alternatives?.[0].text ?? '');
  }
  return understood;
}

const plain = (text: string) => text.toLowerCase().replaceAll(/[^\p{L}\p{N}' ]/gu, '');

const spokenTo = Object.entries(sentences).flatMap(([agent, byVoice]) =>
  Object.entries(byVoice).map(([voice, said]) => ({ agent, voice, said })),
);

test.each(spokenTo)(
  'whoever speaks to the $agent by its phrases is understood: $voice',
  async ({ agent, voice, said }) => {
    const language = voice.slice(0, 2);
    const abilities = await findAbilities(env, engines);
    const speech = await openSpeech(
      shipped(agent),
      { language, voice: undefined },
      { env, logger, engines, abilities },
    );
    const understood: string[] = [];
    for (const text of said) understood.push(await heard(speech, await spoken(text, { voice }), plain(text)));
    await speech.close();
    expect(understood).toEqual(said.map(plain));
  },
);

test.each([
  ['restaurant', 'en'],
  ['restaurant', 'de'],
  ['support', 'en'],
])('no phrase of the %s is one that its rules have no answer to: %s', (agent, code) => {
  const { script, languages } = shipped(agent);
  const patterns =
    script?.rules.flatMap(({ when, needs }) => [...when, ...needs.flatMap(({ pattern }) => pattern)]) ?? [];
  const examples: Record<string, string> = {
    few: '4',
    ordinal: '24th',
    clock: '19:30',
    day: 'Freitag',
    name: 'Miller',
  };
  const phrases = languages.find((language) => language.code === code)?.phrases ?? [];
  expect(phrases.length).toBeGreaterThan(20);
  const unanswered = phrases.filter((phrase) => {
    const text = phrase.replaceAll(/\{(\w+)\}/gu, (_, slot: string) => examples[slot] ?? '');
    return !patterns.some((pattern) => new RegExp(pattern, 'iu').test(text));
  });
  expect(unanswered).toEqual([]);
});
