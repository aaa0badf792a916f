import type { Localized } from '../../../../contract/widget.ts';
import { bestEffort } from '../../../client/best-effort.ts';
import { en, type TextName, type Texts } from './en.ts';

const others: Record<string, () => Promise<Texts>> = {
  de: async () => (await import('./de.ts')).de,
  es: async () => (await import('./es.ts')).es,
  fr: async () => (await import('./fr.ts')).fr,
  ar: async () => (await import('./ar.ts')).ar,
};

const rightToLeft = new Set(['ar', 'fa', 'he', 'ur', 'ps', 'sd', 'ug', 'yi', 'dv', 'ckb']);

const base = (language: string) => language.split('-')[0]?.toLowerCase() ?? '';

export const directionOf = (language: string): 'ltr' | 'rtl' => (rightToLeft.has(base(language)) ? 'rtl' : 'ltr');

/** The text for a language: of its code, of its code without a region, or for any. */
export function localized(texts: Localized | undefined, language: string): string | undefined {
  if (!texts) return undefined;
  const byCode = new Map(Object.entries(texts).map(([code, text]) => [code.toLowerCase(), text]));
  return byCode.get(language.toLowerCase()) ?? byCode.get(base(language)) ?? byCode.get('*');
}

/** The widget's words in this language, the author's over its own; English where there are none. */
export async function textsFor(language: string, ofAuthor: Record<string, Localized> = {}): Promise<Texts> {
  const own = (await bestEffort('English can be read too', others[base(language)]?.())) ?? en;
  const said = { ...own };
  for (const name of Object.keys(en) as TextName[]) {
    const text = localized(ofAuthor[name], language);
    if (text !== undefined) said[name] = text;
  }
  return said;
}

/** `{seconds}` and the like are put in. */
export const filled = (text: string, values: Record<string, string | number>): string =>
  text.replace(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole));
