/**
 * Last words after which people go on, by language: conjunctions, prepositions, articles and possessives that nothing ends with, and
 * beginnings of what has to follow. Words that may as well end a sentence ("to be seen with", German "an", "auf", "zu" as parts of verbs)
 * and articles that stand for a thing, "das", are left out: waiting is heard as slowness.
 */
const openEnds: Readonly<Record<string, RegExp>> = {
  en: /(?:^|\s)(?:and|or|but|because|although|unless|whereas|if|the|an?|my|our|your|their|my (?:name|number|address|email) is|(?:street|house|phone|telephone|order) number|(?:name|number|address) is|between|at the|in the|for the|of the|to the)$/u,
  de: /(?:^|\s)(?:und|oder|aber|weil|obwohl|sondern|wenn|dass|ob|ein|einen|einem|mein|meinen|unser|unseren|mein name ist|(?:meine )?(?:nummer|adresse|telefonnummer|hausnummer) ist|zwischen|vom|am|im|für|mit der|mit dem)$/u,
};

const digits: Readonly<Record<string, string>> = {
  en: 'zero|oh|one|two|three|four|five|six|seven|eight|nine',
  de: 'null|eins|zwei|zwo|drei|vier|fünf|sechs|sieben|acht|neun',
};
/** Shorter than any telephone number with its prefix, and longer than what is said of guests, hours and dates. */
const fewestDigits = 3;
const mostDigits = 9;

/**
 * Whether these words are the beginning of something: an open conjunction, an article without its noun, a number that is being told
 * digit by digit. A question is finished, whatever it ends with; so is all in a language that is not known here.
 */
export function isUnfinished(text: string, language: string): boolean {
  const code = language.toLowerCase().split('-')[0] ?? '';
  const openEnd = openEnds[code];
  const said = text.trim().toLowerCase();
  if (!openEnd || said.endsWith('?')) return false;
  const words = said
    .replaceAll(/[^\p{L}\p{N}' ]+/gu, ' ')
    .replaceAll(/\s+/gu, ' ')
    .trim();
  return openEnd.test(words) || isAmongDigits(words, digits[code] ?? '');
}

function isAmongDigits(words: string, names: string): boolean {
  const told = new RegExp(`(?:^|\\s)((?:(?:${names}|\\d)\\s)*(?:${names}|\\d))$`, 'u').exec(words)?.[1];
  const count = told?.split(' ').length ?? 0;
  return count >= fewestDigits && count <= mostDigits;
}
