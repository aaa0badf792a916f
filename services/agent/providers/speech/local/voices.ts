/**
 * espeak-ng knows about 120 languages by their codes. Where it speaks several kinds of one, this is the kind we choose; its
 * plain `en` is British, for instance, while most recordings that recognition learned from are American.
 */
const chosen: Readonly<Record<string, string>> = { en: 'en-us', 'pt-br': 'pt-br', zh: 'cmn', no: 'nb' };

/** The voice of a language when the agent names none. */
export function espeakVoice(language: string): string {
  const code = language.toLowerCase();
  return chosen[code] ?? (code.startsWith('en-') ? code : (chosen[base(code)] ?? base(code)));
}

const base = (code: string): string => code.split('-')[0] ?? code;
