import type { CompiledAgent } from '../../../../contract/agents/compiled.ts';

export interface Token {
  /** As recognition writes it into the transcript, such as `8:30`. */
  written: string;
  /** What it sounds like, as espeak-ng is to read it. */
  spoken: string;
}

/** What an agent can hear in one language. */
export interface Grammar {
  jsgf: string;
  /** By their names in `jsgf`. */
  tokens: ReadonlyMap<string, Token>;
  /** The recogniser's answer as a person would have typed it. */
  written(answer: string): string;
}

const always: Readonly<Record<string, readonly string[]>> = {
  en: ['yes', 'no', 'hello', 'thank you', 'goodbye', 'stop', 'mm-hm', 'okay'],
  de: ['ja', 'nein', 'hallo', 'danke', 'tschüss', 'stopp', 'mhm', 'okay'],
};

export function grammarOf(_definition: CompiledAgent, language: string): Grammar {
  const base = language.toLowerCase().split('-')[0] ?? '';
  const phrases = always[base] ?? always.en ?? [];
  const tokens = new Map(phrases.map((written, index) => [`${base}_${index}`, { written, spoken: written }]));
  return {
    jsgf: `#JSGF V1.0;\ngrammar g;\npublic <u> = ${[...tokens.keys()].join(' | ')};\n`,
    tokens,
    written: (answer) =>
      answer
        .split(' ')
        .flatMap((token) => tokens.get(token)?.written ?? [])
        .join(' '),
  };
}
