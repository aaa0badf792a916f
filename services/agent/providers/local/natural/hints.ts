import type { CompiledAgent } from '../../../../agent-files/definition/compiled.ts';

/** Whisper looks at about a hundred tokens of them. */
const most = 40;
/** Where any word may stand. */
const slot = /\{\w+\}/gu;

/**
 * What Whisper is told to expect in a language: keywords, the agent's name, and words of its phrases that are names in them (they begin
 * with a capital letter, and not only where a sentence does). Common words need no hint, and more of them make it hear them everywhere.
 */
export function hintsOf({ name, speech, languages }: CompiledAgent, language: string): readonly string[] {
  const keywords = speech?.recognition.flatMap((one) => one.keywords) ?? [];
  const phrases = languages.find(({ code }) => code === language)?.phrases ?? [];
  // German writes every noun so.
  const isGerman = language.toLowerCase().startsWith('de');
  const names = isGerman ? [] : phrases.flatMap((phrase) => namesIn(phrase.replaceAll(slot, ' ')));
  return [...new Set([...keywords, ...(name ? [name] : []), ...names])].slice(0, most);
}

const namesIn = (phrase: string): string[] =>
  phrase
    .split(/\s+/u)
    .slice(1)
    .filter((word) => /^\p{Lu}\p{L}{2,}/u.test(word));
