import type { ServiceLines } from './compiled.ts';

/**
 * Everything the service may have to say by itself. `toolFailed` is the script's reply when a rule has no `failed`; `voiceUnavailable` and
 * `sayAgain` are no part of a version unless its file has them; `puttingThrough`, and what callers hear whom nobody talks to, never are.
 */
interface BuiltInLines extends ServiceLines {
  toolFailed: string;
  voiceUnavailable: string;
  sayAgain: string;
  puttingThrough: string;
  closedNow: string;
  cannotTakeCalls: string;
  mustHangUp: string;
}

const english: BuiltInLines = {
  modelUnavailable: "I'm sorry, I can't answer right now. Please try again in a moment.",
  tooManyMessages: "That was a lot at once. Please give me a moment, I'm still answering your earlier messages.",
  limitReached:
    'We have reached the end of what I can do in one conversation. Thank you, and please start a new one if you need more.',
  toolFailed: "I'm sorry, that did not work just now. Please try again in a moment.",
  voiceUnavailable:
    "I'm sorry, I can't speak with you at the moment: too many others are calling. Please write to me instead.",
  sayAgain: "I'm sorry, I did not hear the beginning of that. Could you say it again, please?",
  puttingThrough: 'One moment, please. I am putting you through.',
  closedNow: 'Thank you for calling. We are closed at the moment. Please call again later.',
  cannotTakeCalls: 'Thank you for calling. We cannot take your call at the moment. Please try again later.',
  mustHangUp: 'I am sorry, something went wrong here, and I have to hang up. Please call again in a moment.',
};

const german: BuiltInLines = {
  modelUnavailable: 'Es tut mir leid, ich kann gerade nicht antworten. Bitte versuchen Sie es gleich noch einmal.',
  tooManyMessages: 'Das war viel auf einmal. Einen Moment bitte, ich beantworte noch Ihre vorigen Nachrichten.',
  limitReached:
    'Mehr kann ich in einem Gespräch leider nicht leisten. Vielen Dank – beginnen Sie gern ein neues, wenn Sie noch etwas brauchen.',
  toolFailed: 'Es tut mir leid, das hat gerade nicht geklappt. Bitte versuchen Sie es gleich noch einmal.',
  voiceUnavailable:
    'Es tut mir leid, ich kann gerade nicht mit Ihnen sprechen, weil zu viele andere anrufen. Bitte schreiben Sie mir.',
  sayAgain: 'Entschuldigung, den Anfang davon habe ich nicht gehört. Sagen Sie es bitte noch einmal?',
  puttingThrough: 'Einen Moment bitte, ich verbinde Sie.',
  closedNow: 'Vielen Dank für Ihren Anruf. Wir haben gerade geschlossen. Bitte rufen Sie später noch einmal an.',
  cannotTakeCalls:
    'Vielen Dank für Ihren Anruf. Wir können ihn gerade nicht annehmen. Bitte versuchen Sie es später noch einmal.',
  mustHangUp:
    'Es tut mir leid, hier ist etwas schiefgegangen, und ich muss auflegen. Bitte rufen Sie gleich noch einmal an.',
};

/** Whether words are what people hear while no model answers, unless an agent's file says it otherwise. */
export const isModelUnavailable = (words: string): boolean =>
  [english, german].some(({ modelUnavailable }) => words.trim() === modelUnavailable);

/** The built-in lines of a language; regional codes use their language, unknown ones English. */
export function builtInLines(code: string): BuiltInLines {
  return code.toLowerCase().split('-')[0] === 'de' ? german : english;
}
