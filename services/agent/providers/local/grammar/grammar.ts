import type { CompiledAgent, CompiledScript } from '../../../../agent-files/definition/compiled.ts';
import { type Lexicon, lexiconOf } from './lexicon.ts';
import { type Network, networkOf, type Sequence, type Step } from './network.ts';
import { type Part, type Phrase, phraseOf, type Slot, writtenPhrase } from './phrases.ts';
import { textsOfPattern, thinned } from './texts-of-pattern.ts';
import { type LanguageWords, wordsOf } from './vocabulary.ts';

export interface Token {
  /** As recognition writes it into the transcript, such as `8:30`. */
  written: string;
  /** What it sounds like, as espeak-ng is to read it. */
  spoken: string;
}

/** What an agent can hear in one language. */
export interface Grammar {
  network: Network;
  /** By their names in the network. */
  tokens: ReadonlyMap<string, Token>;
  /** The recogniser's answer as a person would have typed it. */
  written(answer: string): string;
}

/** Known words that go on from a stem, from the dictionary of the recogniser; empty where it has none for the language. */
export type Complete = (stems: readonly string[]) => Promise<Readonly<Record<string, readonly string[]>>>;

const mostPhrases = 3_000;
/** Shorter ones are words as they are. */
const shortestStem = 5;

/**
 * The phrases that an agent lists for a language, one or several in a breath. Without any the grammar of its script: what makes
 * its rules match, read backwards from their patterns. That is exact where a pattern names words, an estimate where it says
 * "anything" (little words are understood there), and knows numbers, days of a month, times and some names. What nobody wrote
 * down is not understood.
 */
export async function grammarOf(definition: CompiledAgent, language: string, complete: Complete): Promise<Grammar> {
  const lexicon = lexiconOf(definition, language);
  const listed = definition.languages.find(({ code }) => code === language)?.phrases ?? [];
  if (listed.length > 0) {
    return new GrammarWriter(language, lexicon, {}, namesOf(definition)).grammar(listed.map(writtenPhrase), {
      leads: [],
      joints: wordsOf(language).joints.slice(0, 1),
    });
  }
  const phrases = phrasesOf(definition.script, language, lexicon);
  const known = await complete([...new Set(phrases.flatMap(wordsIn))]);
  return new GrammarWriter(language, lexicon, known, namesOf(definition)).grammar(phrases);
}

const wordsIn = ({ parts }: Phrase): string[] => parts.flatMap((part) => ('word' in part ? part.word : []));

const namesOf = ({ speech }: CompiledAgent): string[] => speech?.recognition.flatMap(({ keywords }) => keywords) ?? [];

function phrasesOf(script: CompiledScript | undefined, language: string, lexicon: Lexicon): Phrase[] {
  const rules = script?.rules.filter((rule) => !rule.language || sameLanguage(rule.language, language)) ?? [];
  const patterns = rules.flatMap(({ when, needs }) => [...when, ...needs.flatMap(({ pattern }) => pattern)]);
  return thinned(
    [...new Set(patterns)].flatMap((pattern) => spokenPhrases(pattern, lexicon)),
    mostPhrases,
  );
}

/** A pattern is mostly written in one language: that decides where a phrase itself does not tell. */
function spokenPhrases(pattern: string, lexicon: Lexicon): Phrase[] {
  const phrases = textsOfPattern(pattern).flatMap((text) => phraseOf(text) ?? []);
  const whole = lexicon.evidence(phrases.flatMap(wordsIn));
  return phrases.filter((phrase) => {
    const own = lexicon.evidence(wordsIn(phrase));
    return own > 0 || (own === 0 && whole >= 0);
  });
}

const sameLanguage = (one: string, other: string): boolean => baseOf(one) === baseOf(other);
const baseOf = (language: string): string => language.toLowerCase().split('-')[0] ?? '';

class GrammarWriter {
  readonly #language: string;
  readonly #lexicon: Lexicon;
  readonly #known: Readonly<Record<string, readonly string[]>>;
  readonly #names: readonly string[];
  readonly #tokens = new Map<string, Token>();
  readonly #slots = new Map<Slot, string[]>();

  constructor(
    language: string,
    lexicon: Lexicon,
    known: Readonly<Record<string, readonly string[]>>,
    names: readonly string[],
  ) {
    this.#language = baseOf(language);
    this.#lexicon = lexicon;
    this.#known = known;
    this.#names = names;
  }

  grammar(phrases: readonly Phrase[], own: Pick<LanguageWords, 'leads' | 'joints'> = wordsOf(this.#language)): Grammar {
    const { leads, joints } = own;
    const { always, little } = wordsOf(this.#language);
    const fixed = always.map((phrase): Sequence => ({ steps: this.#sequence(phrase), isFirst: false, isLast: false }));
    const sequences = [...phrases.flatMap((phrase) => this.#phrase(phrase)), ...fixed];
    const surroundings = {
      little: little.map((word) => this.#word(word)),
      leads: leads.map((lead) => this.#sequence(lead)),
      joints: joints.map((word) => this.#word(word)),
    };
    return {
      network: networkOf(sequences, surroundings),
      tokens: this.#tokens,
      written: (answer) => this.#written(answer),
    };
  }

  /** None when a word of it is none of this language. */
  #phrase({ parts, isFirst, isLast }: Phrase): Sequence[] {
    const steps = parts.map((part) => this.#step(part));
    return steps.some((step) => step.length === 0) ? [] : [{ steps, isFirst, isLast }];
  }

  #step(part: Part): Step {
    if ('slot' in part) return this.#slot(part.slot);
    return 'said' in part ? [this.#word(part.said)] : this.#completed(part);
  }

  #slot(slot: Slot): Step {
    if (slot === 'gap') return 'gap';
    const known = this.#slots.get(slot) ?? this.#tokensOf(slot).map((token) => this.#token(token));
    this.#slots.set(slot, known);
    return known;
  }

  #tokensOf(slot: Exclude<Slot, 'gap'>): Token[] {
    const { names, days, ordinal, clock } = wordsOf(this.#language);
    switch (slot) {
      case 'number':
        return spokenNumbers.map((value) => ({ written: `${value}`, spoken: `${value}` }));
      case 'few':
        return range(1, 12).map((few) => ({ written: `${few}`, spoken: `${few}` }));
      case 'ordinal':
        return range(1, 31).map(ordinal);
      case 'clock':
        return range(0, 23).flatMap((hour) => [0, 15, 30, 45].map((minute) => clock(hour, minute)));
      case 'day':
        return days.map((day) => ({ written: day, spoken: day }));
      case 'name':
        return [...names.map(capital), ...this.#names].map((name) => ({ written: name, spoken: name }));
      default:
        return slot satisfies never;
    }
  }

  /**
   * The words that a part of one may stand for: the agent's own words, else those of the dictionary, else guesses. None when
   * there is a dictionary and it knows none.
   */
  #completed({ word, openStart, openEnd }: Extract<Part, { word: string }>): string[] {
    const own = openStart || openEnd ? this.#lexicon.wordsWith(word, { openStart, openEnd }) : [];
    const dictionary = this.#known[word];
    const isWord = dictionary ? dictionary.includes(word) : own.length === 0;
    const others = own.length > 0 ? own : openEnd ? this.#goingOn(word, dictionary) : [];
    return [...new Set([...(isWord ? [word] : []), ...others])].map((one) => this.#word(one));
  }

  /** Of a whole word its forms; of a stem the words that begin so. */
  #goingOn(word: string, dictionary: readonly string[] | undefined): readonly string[] {
    const forms = word.length < shortestStem ? [word] : wordsOf(this.#language).endings.map((ending) => word + ending);
    if (!dictionary) return forms;
    return dictionary.includes(word) ? dictionary.filter((one) => forms.includes(one)) : dictionary;
  }

  #sequence(text: string): Step[] {
    return text.split(/\s+/u).map((word) => [this.#word(word)]);
  }

  #word(word: string): string {
    return this.#token({ written: word, spoken: word });
  }

  /** An English word that the recogniser's own dictionary has keeps the sound it has there: it goes by its plain name. */
  #token({ written, spoken }: Token): string {
    const plain = written.toLowerCase();
    const name = this.#language === 'en' && /^[a-z']+$/u.test(plain) ? plain : `${this.#language}_${safe(plain)}`;
    this.#tokens.set(name, this.#tokens.get(name) ?? { written, spoken });
    return name;
  }

  #written(answer: string): string {
    const words = answer.split(' ').flatMap((token) => this.#tokens.get(token)?.written ?? []);
    return words.join(' ');
  }
}

/** Characters that mean nothing to the recogniser. */
const safe = (text: string): string =>
  text.replaceAll(/[^\p{L}\p{N}']/gu, (character) => `x${character.codePointAt(0)}`);

const capital = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1);

const spokenNumbers = [...Array.from({ length: 41 }, (_, number) => number), 45, 50, 60, 70, 80, 90, 100];

const range = (first: number, last: number): number[] =>
  Array.from({ length: last - first + 1 }, (_, index) => first + index);
