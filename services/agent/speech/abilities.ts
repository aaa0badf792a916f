import { type Ability, keysIn } from '../../agent-files/definition/speech-needs.ts';
import type { Variables } from '../../process/variables.ts';
import type { LocalEngines } from '../providers/local/engines.ts';

export type Abilities = ReadonlySet<Ability>;

/** What this host can do for spoken sessions, as it is set up now. Whether a key is a good one shows when it is used. */
export async function findAbilities(
  env: Variables,
  { espeak, byGrammar, dictation, natural }: LocalEngines,
): Promise<Abilities> {
  const languages = await espeak.languages();
  return new Set<Ability>([
    ...keysIn(env),
    ...languages.map((language) => `voice:${language}` as const),
    // How the words of a grammar sound is told by espeak-ng.
    ...(byGrammar ? languages.map((language) => `grammar:${language}` as const) : []),
    ...(dictation ? (['dictation'] as const) : []),
    ...natural.languages().map((language) => `dictation:${language}` as const),
  ]);
}
