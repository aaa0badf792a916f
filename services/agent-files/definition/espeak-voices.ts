/**
 * The languages of espeak-ng 1.51 (`espeak-ng --voices`); each is a voice, its beginning (`en`) too, and `de+f3` is a variant of one. In small
 * letters: espeak-ng takes both.
 */
export const espeakVoices: readonly string[] = `
  af am an ar as az ba be bg bn bpy bs ca chr-us-qaaa-x-west cmn cmn-latn-pinyin cs cv cy da de el en-029 en-gb en-gb-scotland
  en-gb-x-gbclan en-gb-x-gbcwmd en-gb-x-rp en-us en-us-nyc eo es es-419 et eu fa fa-latn fi fr-be fr-ch fr-fr ga gd gn grc gu
  hak haw he hi hr ht hu hy hyw ia id io is it ja jbo ka kk kl kn ko kok ku ky la lb lfn lt ltg lv mi mk ml mr ms mt my nb nci
  ne nl nog om or pa pap piqd pl pt pt-br py qdb qu quc qya ro ru ru-lv sd shn si sjn sk sl smj sq sr sv sw ta te th tk tn tr tt
  ug uk ur uz vi vi-vn-x-central vi-vn-x-south yue
`
  .trim()
  .split(/\s+/u);

/** espeak-ng's plain `en` is British, for instance, while most recordings that recognition learned from are American. */
const chosen: Readonly<Record<string, string>> = { en: 'en-us', 'pt-br': 'pt-br', zh: 'cmn', no: 'nb' };

/** The voice of a language when the agent names none. */
export function espeakVoice(language: string): string {
  const code = language.toLowerCase();
  return chosen[code] ?? (code.startsWith('en-') ? code : (chosen[base(code)] ?? base(code)));
}

const base = (code: string): string => code.split('-')[0] ?? code;
