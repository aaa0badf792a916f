import type { CompiledAgent } from '../../../../agent-files/definition/compiled.ts';
import { wordsOf } from './vocabulary.ts';

const mostCompletions = 8;

/** The words an agent itself uses in one language. They tell which of a script's patterns are in that language, too. */
export interface Lexicon {
  /** Words of which this one is a part. */
  wordsWith(part: string, open: { openStart: boolean; openEnd: boolean }): string[];
  /** How much more speaks for these words being in this language than in another one of the agent's; below 0: less. */
  evidence(words: readonly string[]): number;
}

export function lexiconOf(definition: CompiledAgent, language: string): Lexicon {
  const codes = definition.languages.map(({ code }) => code);
  const own = wordsIn(definition, language);
  const others = codes.filter((code) => code !== language).map((code) => wordsIn(definition, code));
  return {
    wordsWith: (part, { openStart, openEnd }) =>
      [...own]
        .filter((word) => (openStart ? word.includes(part) : word.startsWith(part)))
        .filter((word) => openEnd || word.endsWith(part))
        .sort((one, other) => one.length - other.length)
        .slice(0, mostCompletions),
    evidence: (words) => evidence(words, own) - Math.max(0, ...others.map((other) => evidence(words, other))),
  };
}

/** Words known in that language count whole, stems of known ones half. */
function evidence(words: readonly string[], known: ReadonlySet<string>): number {
  const list = [...known];
  return words
    .map((word) => (known.has(word) ? 1 : list.some((longer) => word.length > 3 && longer.startsWith(word)) ? 0.5 : 0))
    .reduce<number>((sum, value) => sum + value, 0);
}

function wordsIn(definition: CompiledAgent, language: string): ReadonlySet<string> {
  const { always, little, leads, calendar } = wordsOf(language);
  const texts = [...always, ...little, ...leads, ...calendar, ...spokenTexts(definition, language)];
  return new Set(texts.flatMap((text) => text.toLowerCase().match(/\p{L}[\p{L}'’]*/gu) ?? []));
}

/** What the agent says in that language. */
function spokenTexts({ languages, script }: CompiledAgent, language: string): string[] {
  const greeting = languages.find(({ code }) => code === language)?.greeting ?? '';
  const localized =
    script?.rules.flatMap(({ say, failed, needs }) => [say, failed, ...needs.map(({ ask }) => ask)]) ?? [];
  const base = language.split('-')[0] ?? language;
  return [greeting, ...localized.map((texts) => texts[language] ?? texts[base] ?? '')];
}
