/** What a new agent says and hears before anybody has written more, in the languages that people are likely to begin with. */
export interface Phrases {
  greeting: string;
  /** Words of a person who arrives, and of one who leaves. */
  hello: string;
  bye: string;
  answerToHello: string;
  farewell: string;
  fallback: string;
  /** Said to whoever waits. */
  waiting: string;
}

const english: Phrases = {
  greeting: 'Hello! What can I do for you?',
  hello: 'Hello',
  bye: 'Goodbye',
  answerToHello: 'Hello! What is it about?',
  farewell: 'Thank you, and goodbye!',
  fallback: "I'm not sure I understood that. Could you say it in other words?",
  waiting: 'One moment, please.',
};

const known: Readonly<Record<string, Phrases>> = {
  en: english,
  de: {
    greeting: 'Guten Tag! Was kann ich für Sie tun?',
    hello: 'Hallo',
    bye: 'Auf Wiedersehen',
    answerToHello: 'Hallo! Worum geht es?',
    farewell: 'Vielen Dank und auf Wiedersehen!',
    fallback: 'Das habe ich leider nicht verstanden. Können Sie es anders sagen?',
    waiting: 'Einen Moment bitte.',
  },
  fr: {
    greeting: 'Bonjour ! Que puis-je faire pour vous ?',
    hello: 'Bonjour',
    bye: 'Au revoir',
    answerToHello: 'Bonjour ! De quoi s’agit-il ?',
    farewell: 'Merci et au revoir !',
    fallback: 'Je n’ai pas bien compris. Pouvez-vous le dire autrement ?',
    waiting: 'Un instant, s’il vous plaît.',
  },
  es: {
    greeting: '¡Hola! ¿En qué puedo ayudarle?',
    hello: 'Hola',
    bye: 'Adiós',
    answerToHello: '¡Hola! ¿De qué se trata?',
    farewell: '¡Gracias y adiós!',
    fallback: 'No lo he entendido bien. ¿Puede decirlo de otra manera?',
    waiting: 'Un momento, por favor.',
  },
  it: {
    greeting: 'Buongiorno! Come posso aiutarla?',
    hello: 'Buongiorno',
    bye: 'Arrivederci',
    answerToHello: 'Buongiorno! Di che cosa si tratta?',
    farewell: 'Grazie e arrivederci!',
    fallback: 'Non ho capito bene. Può dirlo in un altro modo?',
    waiting: 'Un attimo, per favore.',
  },
  nl: {
    greeting: 'Goedendag! Wat kan ik voor u doen?',
    hello: 'Goedendag',
    bye: 'Tot ziens',
    answerToHello: 'Goedendag! Waar gaat het over?',
    farewell: 'Bedankt en tot ziens!',
    fallback: 'Dat heb ik niet goed begrepen. Kunt u het anders zeggen?',
    waiting: 'Een ogenblik, alstublieft.',
  },
};

/** Whether there are phrases of the language's own; others get English ones, for their author to translate. */
export const isKnown = (code: string): boolean => languageOf(code) in known;

export const phrasesOf = (code: string): Phrases => known[languageOf(code)] ?? english;

const languageOf = (code: string): string => code.toLowerCase().split('-')[0] ?? '';
