/** What the words say about whether somebody has finished: they go on, they have asked their question or said "please", or nothing. */
export type EndByWords = 'open' | 'finished' | 'unknown';

interface Language {
  /**
   * Last words after which people go on: conjunctions, articles, possessives, and beginnings of what has to follow. Words that may as well
   * end a sentence ("to be seen with", German "an", "auf", "zu" as parts of verbs; "das" for a thing) are left out: waiting is heard as
   * slowness.
   */
  openEnd: RegExp;
  /** Last words after which people wait for the other. */
  closing: RegExp;
  /** What comes before a number that is told in groups. */
  ofTelephone: RegExp;
  /** Figures as they are said. */
  figures: string;
}

const languages: Readonly<Record<string, Language>> = {
  en: {
    openEnd:
      /(?:^| )(?:and|or|but|because|although|unless|whereas|if|the|an?|my|our|your|their|(?:name|number|address|email|code) is|my name's|(?:street|house|phone|telephone|order) number|between|at the|in the|for the|of the|to the|with the|we would like to|i would like to|i'd like to|(?:address is|live at|live in)(?: \d+| (?:number )?[a-z]+teen| twelve| eleven| ten| twenty)?)$/u,
    closing: /(?:^| )(?:please|thanks|thank you|bye|goodbye)$/u,
    ofTelephone: /\b(?:phone|telephone|mobile|cell|call me|reach me)\b/u,
    figures: 'zero|oh|one|two|three|four|five|six|seven|eight|nine',
  },
  de: {
    openEnd:
      /(?:^| )(?:und|oder|aber|weil|obwohl|sondern|wenn|dass|ob|ein|einen|einem|einer|mein|meine|meinen|unser|unsere|unseren|(?:name|nummer|adresse|telefonnummer|hausnummer|mailadresse) (?:ist|lautet)|ich heiße|zwischen|vom|am|im|für|mit der|mit dem|in der|(?:adresse (?:ist|lautet)|wohne)(?: \S+){0,3} \p{L}*(?:straße|weg|allee|platz|gasse|damm|ufer))$/u,
    closing: /(?:^| )(?:bitte|danke|vielen dank|dankeschön|tschüss|auf wiedersehen|auf wiederhören)$/u,
    ofTelephone: /(?:telefon|handy|mobil|ruf(?:en)? sie mich|erreich|rückruf)/u,
    figures: 'null|eins|zwei|zwo|drei|vier|fünf|sechs|sieben|acht|neun',
  },
};

/** More than is said of guests, hours and dates. */
const fewestFigures = 3;
/** A telephone number with its prefix has more; one without has as many at least. */
const mostFigures = { ofTelephone: 9, oneByOne: 6 };
/** German: "…, oder?", English: "this one or?". */
const tags = new Set(['or', 'oder']);

/**
 * Judges an utterance by its words alone. Open are a conjunction or an article at the end, the beginning of an address, and a number
 * whose figures are not all told; finished is what has a question mark, or ends politely. Nothing is known of other languages than English
 * and German.
 */
export function endByWords(text: string, language: string): EndByWords {
  const known = languages[language.toLowerCase().split('-')[0] ?? ''];
  const said = text.trim().toLowerCase();
  if (!known || said === '') return 'unknown';
  const words = said
    .replaceAll(/[^\p{L}\p{N}+' ]+/gu, ' ')
    .replaceAll(/\s+/gu, ' ')
    .trim();
  const isQuestion = said.endsWith('?');
  if (isQuestion && tags.has(words.split(' ').at(-1) ?? '')) return 'finished';
  if (known.openEnd.test(words)) return 'open';
  if (isQuestion || known.closing.test(words)) return 'finished';
  return isAmongFigures(words, known) || /(?:\.\.\.|…)$/u.test(said) ? 'open' : 'unknown';
}

/** Recognisers write a number as it was said, in figures one by one, or in groups of them. */
function isAmongFigures(words: string, { figures, ofTelephone }: Language): boolean {
  const told = new RegExp(`(?:^| )(\\+?(?:(?:${figures}|\\d+) )*(?:${figures}|\\d+))$`, 'u').exec(words)?.[1];
  if (!told) return false;
  const groups = told.split(' ');
  const count = groups.reduce((sum, group) => sum + (/\d/u.test(group) ? group.replace('+', '').length : 1), 0);
  const isOneByOne = count === groups.length;
  const isOfTelephone = /^(?:\+|0|zero|oh|null)/u.test(told) || ofTelephone.test(words);
  const most = isOfTelephone ? mostFigures.ofTelephone : isOneByOne ? mostFigures.oneByOne : 0;
  return count >= fewestFigures && count <= most;
}
