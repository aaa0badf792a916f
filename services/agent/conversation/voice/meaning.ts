/** Sounds by which people anywhere say that they listen. */
const sounds = 'mm mmm mhm mmhm hm hmm hmmm uh huh uhuh ah aha oh ooh er um mhmm'.split(' ');

/** As dictation may write them: "Mm-hmm", "MNHM". */
const hum = /^[mnh]{2,}$/u;

/** Words by which they say it, by language. One that is not here listens by sounds alone. */
const listeningWords: Readonly<Record<string, string>> = {
  en: 'yeah yep okay ok right sure alright cool great wow really',
  de: 'ja jo genau okay ok ach so achso stimmt klar gut',
  fr: "oui ouais ok d'accord bien voilà",
  es: 'sí si vale claro ya bueno ok',
  it: 'sì si certo va bene ok esatto',
  pt: 'sim tá certo claro ok pois é',
  nl: 'ja oké ok precies juist goed klopt',
  pl: 'tak no dobrze jasne ok aha',
  ru: 'да ага угу ладно хорошо понятно ясно',
  uk: 'так ага угу добре зрозуміло',
  tr: 'evet tamam peki hı',
  sv: 'ja jo okej precis just',
  da: 'ja okay præcis nemlig',
  hi: 'हाँ हां जी ठीक अच्छा है',
  ar: 'نعم ايوه أيوه طيب تمام',
  ja: 'はい うん ええ そう そうです そうですね なるほど へえ',
  zh: '嗯 嗯嗯 对 对对 好 好的 是 是的 哦 啊',
  ko: '네 예 응 음 그래 그래요 맞아 맞아요',
};

/** One word that always stops the agent, however many words are asked for. */
const stoppingWords = new Set(
  `stop wait no hold hello sorry excuse quiet cancel halt stopp nein moment warte warten hallo entschuldigung
  arrête attends non espera para alto aspetta ferma espere pare wacht nee czekaj stój nie стой подожди нет dur bekle hayır
  잠깐 잠시만 아니 아니요`.split(/\s+/u),
);
/** The same in scripts that put no spaces between words, where it may be cut into pieces. */
const stoppingPhrases = ['等一下', '等等', '停', '不是', '不要', '待って', 'ちょっと', 'いいえ', '違う', 'หยุด', 'เดี๋ยว'];

/** Of any language: it finds words in scripts without spaces, too. */
const segmenter = new Intl.Segmenter(undefined, { granularity: 'word' });

const wordsOf = (text: string): string[] =>
  [...segmenter.segment(text.toLowerCase())].flatMap(({ segment, isWordLike }) => (isWordLike ? [segment] : []));

/** The words of each entry, and the entry as a whole. */
const setOf = (...lists: readonly string[]): ReadonlySet<string> =>
  new Set([...sounds, ...lists.flatMap(wordsOf), ...lists.flatMap((list) => list.split(' '))]);
const byLanguage = new Map(Object.entries(listeningWords).map(([code, words]) => [code, setOf(words)]));
const ofAll = setOf(...Object.values(listeningWords));

/** By the code's first part; of all languages when none is named. */
function listeningIn(language: string | undefined): ReadonlySet<string> {
  if (language === undefined) return ofAll;
  return byLanguage.get(language.toLowerCase().split('-')[0] ?? '') ?? setOf();
}

interface Interrupted {
  /** What the agent has not said yet. */
  ahead: string;
  minWords: number;
  /** The session's; absent: any. */
  language?: string;
}

/**
 * Whether words spoken over the agent are meant to make it stop. "Mm-hm" and "okay" are how people listen; they are an
 * answer only when the agent is asking something.
 */
export function isMeant(text: string, { ahead, minWords, language }: Interrupted): boolean {
  const words = wordsOf(text);
  if (words.length === 0) return false;
  if (words.some((word) => stoppingWords.has(word)) || stoppingPhrases.some((phrase) => text.includes(phrase)))
    return true;
  if (isListening(words, listeningIn(language))) return isLastQuestion(ahead);
  return words.length >= minWords;
}

/** One or two words, humming aside, of which dictation makes as many as it hears. */
function isListening(words: readonly string[], listening: ReadonlySet<string>): boolean {
  const said = words.filter((word) => !hum.test(word));
  return (said.length <= 2 && said.every((word) => listening.has(word))) || listening.has(words.join(''));
}

/** What is left to be said is one question: the person answers it before its end. */
const isLastQuestion = (ahead: string) => /^[^.!?。！？]*[?？]\s*$/u.test(ahead);
