/**
 * Which language a text is in, by the small words that every sentence of it has. Few enough to read here, and only an answer
 * when it is clear: a text of names and numbers is in no language.
 */
const smallWords: Readonly<Record<string, string>> = {
  en: 'the and you is are of to in it that for on with this have we what your can would please not do be at will how',
  de: 'der die das und ist sie ich nicht ein eine zu den mit für auf es wir haben ihnen was wie kann bitte im dem auch sind ihr',
  fr: 'le la les et est vous de un une pas pour que je nous dans avec ce qui sur votre des du au êtes merci avez',
  es: 'el la los las y es de un una que no en por para con su usted qué se lo le gracias puede tiene una del como',
  it: 'il la le e è di un una che non per con lei si in sono gli della del grazie può ha come quale nel',
  nl: 'de het een en is u niet van op met voor dat wij heeft kan wat hoe ik te zijn aan ook graag uw',
  pt: 'o a os as e é de um uma que não em para com você por se obrigado pode tem do da no na como seu',
};

const words = new Map(Object.entries(smallWords).map(([code, list]) => [code, new Set(list.split(' '))]));

/** A second language may have half of them by chance: several are the same in two. */
const clearLead = 2;
const leastWords = 3;

/** Two-letter code, or undefined when it can't be told. */
export function languageOfText(text: string): string | undefined {
  const said = text.toLowerCase().match(/\p{L}+/gu) ?? [];
  const scores = [...words].map(([code, small]) => ({ code, score: said.filter((word) => small.has(word)).length }));
  const [first, second] = scores.toSorted((a, b) => b.score - a.score);
  if (!first || !second || first.score < leastWords || first.score < second.score * clearLead) return undefined;
  return first.code;
}
