import { createHash } from 'node:crypto';
import type { CompiledAgent } from '../../../agent-files/definition/compiled.ts';
import { espeakVoice } from '../../../agent-files/definition/espeak-voices.ts';
import { hasGrammar } from '../../../agent-files/definition/speech-needs.ts';
import { remember } from '../../../process/remember.ts';
import { mayPass, SpeechFailure } from '../../speech/failure.ts';
import type { RecognitionSettings } from '../../speech/settings.ts';
import { type EngineProgram, recogniserSampleRate } from './engine-program.ts';
import type { LocalEngines } from './engines.ts';
import { type Complete, type Grammar, grammarOf } from './grammar/grammar.ts';
import { hintsOf } from './natural/hints.ts';
import type { Dictation } from './natural/natural-speech.ts';
import { phonesOf } from './phones.ts';
import { type HearUtterance, type LocalHearing, LocalSTT } from './recognition.ts';

/**
 * Recognition on this machine: by the operator's own program where there is one, else by Whisper where it was fetched, else by the grammar
 * of the agent's phrases or script, which an agent may also ask for.
 */
export async function localRecognition(
  definition: CompiledAgent,
  { language, engine }: Pick<RecognitionSettings, 'language' | 'engine'>,
  engines: LocalEngines,
): Promise<LocalSTT> {
  const { dictation, natural } = engines;
  const isExact = engine === 'grammar';
  if (dictation && !isExact) {
    const hear = dictate(dictation, language, keywordsOf(definition));
    return new LocalSTT({ hear, language, model: 'own program' });
  }
  const whisper = isExact ? undefined : natural.dictation(language);
  if (!whisper) {
    const hear = await hearByGrammar(definition, language, engines);
    return new LocalSTT({ hear, language, model: 'pocketsphinx, grammar' });
  }
  const byGrammar = () => hearByGrammar(definition, language, engines);
  const hints = hintsOf(definition, language);
  return new LocalSTT({ ...dictated(whisper, { language, hints }, byGrammar), language, model: whisper.model });
}

/** @throws SpeechFailure where there is nothing to make a grammar of, or nothing that understands one */
async function hearByGrammar(
  definition: CompiledAgent,
  language: string,
  engines: LocalEngines,
): Promise<HearUtterance> {
  const { byGrammar } = engines;
  if (!byGrammar || !hasGrammar(definition, language)) throw nothingToHearWith();
  return prepared(engines, keyOf(definition, language), () => prepare(byGrammar, engines, definition, language));
}

/** What whisper can't hear twice, the engine dead or broken, is left to the grammar where the agent has one; not what it has no time for. */
function dictated(
  whisper: Dictation,
  how: { language: string; hints: readonly string[] },
  byGrammar: () => Promise<HearUtterance>,
): Pick<LocalHearing, 'hear' | 'glimpse'> {
  const who = {};
  return {
    hear: async (samples) => {
      const ask = () => whisper.hear(who, { ...how, samples });
      try {
        return await ask().catch((error: unknown) => (mayPassNow(error) ? ask() : Promise.reject(error)));
      } catch (error) {
        if (!mayPassNow(error)) throw error;
        const hear = await byGrammar().catch(() => Promise.reject(error));
        return hear(samples);
      }
    },
    glimpse: (samples) => whisper.glimpse(who, { ...how, samples }),
  };
}

const mayPassNow = (error: unknown): boolean => error instanceof SpeechFailure && mayPass(error);

const mostPrepared = 40;

function prepared(engines: LocalEngines, key: string, make: () => Promise<HearUtterance>): Promise<HearUtterance> {
  const known = engines.prepared.get(key);
  if (known) return known;
  const made = make();
  remember(engines.prepared, key, made, mostPrepared);
  made.catch(() => engines.prepared.delete(key));
  return made;
}

const keyOf = ({ languages, script, speech }: CompiledAgent, language: string): string =>
  createHash('sha256')
    .update(JSON.stringify([language, languages, script, speech?.recognition]))
    .digest('hex');

async function prepare(
  program: EngineProgram,
  engines: LocalEngines,
  definition: CompiledAgent,
  language: string,
): Promise<HearUtterance> {
  const grammar = await grammarOf(definition, language, completionsBy(program, language));
  return hearGrammar(program, engines, grammar, language);
}

const nothingToHearWith = () =>
  new SpeechFailure({
    part: 'recognition',
    provider: 'local',
    kind: 'unavailable',
    message: 'No recognition is set up on this machine.',
  });

const keywordsOf = ({ speech }: CompiledAgent): string[] => [
  ...new Set(speech?.recognition.flatMap(({ keywords }) => keywords) ?? []),
];

const dictate =
  (program: EngineProgram, language: string, keywords: readonly string[]): HearUtterance =>
  async (samples) => {
    const { text = '', confidence = 1 } = await program.ask({
      language,
      keywords,
      sampleRate: recogniserSampleRate,
      audio: base64(samples),
    });
    return { text: text.trim(), confidence };
  };

/** The recogniser's dictionary is English. */
const completionsBy =
  (program: EngineProgram, language: string): Complete =>
  async (stems) => {
    if (!language.toLowerCase().startsWith('en')) return {};
    const { words = {} } = await program.ask({ complete: stems });
    return words;
  };

/** How the words of the grammar sound is asked once; the recogniser takes a grammar that it lost again. */
async function hearGrammar(
  program: EngineProgram,
  { espeak }: LocalEngines,
  grammar: Grammar,
  language: string,
): Promise<HearUtterance> {
  const tokens = [...grammar.tokens];
  const sounds = await espeak.phonemes(
    tokens.map(([, { spoken }]) => spoken),
    espeakVoice(language),
  );
  const words = Object.fromEntries(tokens.map(([token], index) => [token, [phonesOf(sounds[index] ?? '', language)]]));
  const { network } = grammar;
  const name = `g${createHash('sha256').update(JSON.stringify(network)).digest('hex').slice(0, 16)}`;
  const load = () => program.ask({ grammar: name, network, words });
  await load();
  return async (samples) => {
    const audio = base64(withNoise(samples));
    const ask = () => program.ask({ grammar: name, audio });
    const { text = '', confidence = 0 } = await ask().catch(async (error: Error) => {
      if (!error.message.includes('unknown grammar')) throw error;
      await load();
      return ask();
    });
    return { text: grammar.written(text), confidence };
  };
}

const base64 = ({ buffer, byteOffset, byteLength }: Int16Array): string =>
  Buffer.from(buffer, byteOffset, byteLength).toString('base64');

const noise = 300;
const paddingSamples = recogniserSampleRate * 0.3;

/**
 * A little noise, and some of it before and after: pocketsphinx was trained on recordings, and mistakes the perfect silence
 * around a synthetic voice for speech (91 of 96 German sentences were understood with it, 28 without).
 */
function withNoise(samples: Int16Array): Int16Array {
  const noisy = new Int16Array(samples.length + 2 * paddingSamples);
  noisy.set(samples, paddingSamples);
  for (let at = 0; at < noisy.length; at += 1) {
    const sum = (noisy[at] ?? 0) + (Math.random() * 2 - 1) * noise;
    noisy[at] = Math.max(-32_768, Math.min(32_767, sum));
  }
  return noisy;
}
