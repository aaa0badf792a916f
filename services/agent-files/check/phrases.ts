import type { AgentFile } from '../../contract/generated/agent.ts';
import { isPhraseSlot, phraseSlots, piecesOfPhrase, slotsIn } from '../definition/phrases.ts';
import type { Finding } from '../faults.ts';

/** What is listened for must be something that can be said. */
export function checkPhrases({ languages }: AgentFile): Finding[] {
  return languages.flatMap(({ phrases = [] }, language) =>
    phrases.flatMap((phrase, index): Finding[] => {
      const message = faultOf(phrase);
      return message ? [{ path: ['languages', `${language}`, 'phrases', `${index}`], rule: 'phrase', message }] : [];
    }),
  );
}

function faultOf(phrase: string): string | undefined {
  const unknown = slotsIn(phrase).find((name) => !isPhraseSlot(name));
  if (unknown !== undefined) {
    const known = phraseSlots.map((name) => `{${name}}`).join(', ');
    return `Nothing is known that could be said for {${unknown}}. Known: ${known}.`;
  }
  return piecesOfPhrase(phrase).length === 0 ? 'There is no word in this phrase.' : undefined;
}
