import { phonesOf } from '../../../services/agent/providers/local/phones.ts';
import { openLocalEngines } from '../../../services/agent/speech/speech.ts';
import { makeLogger } from '../../../services/process/logger.ts';
import { joined, noise } from './speech-sound.ts';

/** In other noise it finds what it has missed. */
const mostTimes = 4;

/** Somebody who knows a few sentences of each language, and hears which of them was said. */
export interface Listener extends AsyncDisposable {
  /** One of the sentences, word for word; empty when it was none of them. */
  understands(sound: Int16Array, language: string): Promise<string>;
}

/** Ears for what the agent says that have nothing to do with the agent's own: pocketsphinx, which may choose among these sentences. */
export function openListener(
  variables: Readonly<Record<string, string>>,
  sentences: Readonly<Record<string, readonly string[]>>,
): Listener {
  const env = { ...process.env, ...variables };
  const { byGrammar, espeak, close } = openLocalEngines({
    env,
    logger: makeLogger({ service: 'test', level: 'silent' }),
  });
  if (!byGrammar) throw new Error('pocketsphinx is not installed');
  const load = async (language: string) => {
    const known = (sentences[language] ?? []).map((sentence) => sentence.split(' '));
    const words = [...new Set(known.flat())];
    const sounds = await espeak.phonemes(words, language);
    const phones = words.map((word, index) => [`${language}:${word}`, [phonesOf(sounds[index] ?? '', language)]]);
    await byGrammar.ask({ grammar: language, network: networkOf(known, language), words: Object.fromEntries(phones) });
  };
  const loaded = new Map<string, Promise<void>>();
  return {
    async understands(sound, language) {
      if (!loaded.has(language)) loaded.set(language, load(language));
      await loaded.get(language);
      for (let time = 1; time <= mostTimes; time += 1) {
        const { buffer, byteOffset, byteLength } = joined(noise(300), noisy(sound), noise(300));
        const audio = Buffer.from(buffer, byteOffset, byteLength).toString('base64');
        const { text = '' } = await byGrammar.ask({ grammar: language, audio });
        if (text) return text.replaceAll(`${language}:`, '');
      }
      return '';
    },
    [Symbol.asyncDispose]: close,
  };
}

/** From state 0 to state 1, by one sentence. */
function networkOf(sentences: readonly string[][], language: string) {
  const most = Math.max(...sentences.map((words) => words.length));
  const transitions = sentences.flatMap((words, sentence) => {
    const stateBefore = (index: number) => {
      if (index === 0) return 0;
      return index === words.length ? 1 : 2 + sentence * most + index;
    };
    return words.map((word, index) => [stateBefore(index), stateBefore(index + 1), 1, `${language}:${word}`]);
  });
  return { start: 0, end: 1, transitions };
}

/** Perfect silence around a voice is mistaken for speech. */
function noisy(sound: Int16Array): Int16Array {
  const hiss = noise((sound.length * 1_000) / 16_000);
  return sound.map((sample, at) => Math.max(-32_768, Math.min(32_767, sample + (hiss[at] ?? 0))));
}
