/** Sounds and words by which a listener says that they listen, in any language we have heard them in. */
const listening = new Set(
  `mm mmm mhm mmhm mm-hm mm-hmm mhmm hm hmm hmmm uh-huh uhuh uh huh ah aha oh ooh er um uh
  yeah yep okay ok right sure alright cool great wow really
  ja genau okay ach so achso stimmt klar gut
  oui ouais d'accord bien sí si vale claro ya da`
    .split(/\s+/u)
    .filter(Boolean),
);
/** One word that always stops the agent, however many words are asked for. */
const stopping = new Set(
  'stop wait no hold hello sorry excuse quiet cancel halt stopp nein moment warte warten hallo entschuldigung arrête attends non espera para alto'.split(
    ' ',
  ),
);

const wordsOf = (text: string) => text.toLowerCase().match(/[\p{L}\p{N}'’-]+/gu) ?? [];

/**
 * Whether words spoken over the agent are meant to make it stop. "Mm-hm" and "okay" are how people listen; they are an
 * answer only when the agent is asking something. `ahead` is what the agent has not said yet.
 */
export function isMeant(text: string, { ahead, minWords }: { ahead: string; minWords: number }): boolean {
  const words = wordsOf(text);
  if (words.length === 0) return false;
  if (words.some((word) => stopping.has(word))) return true;
  if (words.length <= 2 && words.every((word) => listening.has(word))) return isLastQuestion(ahead);
  return words.length >= minWords;
}

/** What is left to be said is one question: the person answers it before its end. */
const isLastQuestion = (ahead: string) => /^[^.!?]*\?\s*$/u.test(ahead);
