import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import { ApiProblem } from '../../client/request.ts';
import { english, type Words } from './english.ts';
import { type Formats, makeFormats } from './formats.ts';
import { german } from './german.ts';

export const languages = { en: 'English', de: 'Deutsch' } as const;
export type Language = keyof typeof languages;

const words: Record<Language, Words> = { en: english, de: german };

export interface Spoken {
  language: Language;
  words: Words;
  formats: Formats;
}

/** @param timeZone of the person, such as Europe/Berlin */
export const spokenIn = (language: Language, timeZone: string): Spoken => ({
  language,
  words: words[language],
  formats: makeFormats(language, timeZone),
});

export const SpokenContext = createContext<Spoken>(spokenIn('en', 'UTC'));

export const useSpoken = (): Spoken => useContext(SpokenContext);
export const useWords = (): Words => useContext(SpokenContext).words;
export const useFormats = (): Formats => useContext(SpokenContext).formats;

/** The first of a person's languages that we speak. */
export const languageOf = (wanted: readonly string[]): Language =>
  wanted.map((tag) => tag.slice(0, 2).toLowerCase()).find((code): code is Language => code in words) ?? 'en';

/** A refusal in the person's language, else in the service's own words. */
export function refusalInWords(error: unknown, { refusals, problem }: Words): string {
  if (!(error instanceof ApiProblem)) return problem.brokenHow;
  return refusals[error.code] ?? error.message;
}

/** What a code is called; one that a newer service sends is shown as it is. */
export const named = (names: Readonly<Record<string, string>>, code: string): string =>
  (Object.hasOwn(names, code) ? names[code] : undefined) ?? code;
