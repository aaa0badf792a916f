/** What spoken sessions of an agent need, and what hosts can do, in the same words: admission compares the two. */
import type { Variables } from '../../process/variables.ts';
import { settings } from '../../settings/settings.ts';
import { isForAgents } from '../../settings/subjects/agent-variables.ts';
import type { CompiledAgent, CompiledRecognition, CompiledSynthesis, CompiledVoice } from './compiled.ts';
import { espeakVoice } from './espeak-voices.ts';
import { includesCode } from './localized.ts';
import { realtimeProviderOf } from './model-choice.ts';
import { keyName, runsHere } from './provider-facts.ts';

/**
 * `key:OPENAI_API_KEY`: the variable is set. `voice:de`: espeak-ng speaks the language. `grammar:de`: what an agent's phrases or
 * script name is recognised in it. `dictation`: the operator's own program recognises whatever is said; `dictation:de`: a model that was
 * fetched does in this language.
 */
export type Ability = `key:${string}` | `voice:${string}` | `grammar:${string}` | 'dictation' | `dictation:${string}`;

/** Who hears and speaks where nobody is declared. */
const thisMachine = 'local';

/** One of each list is needed. */
export type SpeechNeeds = readonly (readonly Ability[])[];

export function speechNeeds(definition: CompiledAgent, language: string): SpeechNeeds {
  const { voiceAgentKind, realtime } = definition;
  if (voiceAgentKind === 'realtime') return [[keyOf(realtimeProviderOf(definition), realtime ?? {})]];
  return [
    [
      ...new Set(
        recognitionOf(definition, language).flatMap((declared) => recognisedBy(declared, definition, language)),
      ),
    ],
    [...new Set(synthesisOf(definition, language).map((declared) => spokenBy(declared, language)))],
  ];
}

/** What it takes beyond `speechNeeds` that this voice is the one that speaks, and not the default one of a fallback. */
export function voiceNeeds(definition: CompiledAgent, language: string, voice: CompiledVoice): SpeechNeeds {
  // A speech-to-speech model has its own voices, and nothing else speaks.
  if (definition.voiceAgentKind === 'realtime') return [];
  const synthesis = synthesisOf(definition, language);
  const own = synthesis.filter(({ provider }) => provider === providerOf(synthesis, voice.provider));
  // Names of espeak-ng's voices begin as their languages do.
  return [own.map((declared) => spokenBy(declared, voice.model ?? voice.id))];
}

/** Whose voice it is: unless it says so, of the first one that speaks in its language. */
export const providerOf = (
  [first]: readonly Pick<CompiledSynthesis, 'provider'>[],
  named: string | undefined,
): string => named ?? first?.provider ?? thisMachine;

/** Who recognises in a language, in order: whoever is declared for it, else this machine. */
export function recognitionOf({ speech }: CompiledAgent, language: string): CompiledRecognition[] {
  const declared = declaredFor(language, speech?.recognition ?? []);
  return declared.length > 0 ? declared : [{ provider: thisMachine, keywords: [] }];
}

/** Who speaks in a language, in order: whoever is declared for it, else this machine. */
export function synthesisOf({ speech }: CompiledAgent, language: string): CompiledSynthesis[] {
  const declared = declaredFor(language, speech?.synthesis ?? []);
  return declared.length > 0 ? declared : [{ provider: thisMachine, speed: 1 }];
}

export const declaredFor = <Declared extends { languages?: string[] }>(
  language: string,
  declared: readonly Declared[],
): Declared[] => declared.filter(({ languages }) => !languages || includesCode(languages, language));

/** Whether there is something that a grammar can be made of. */
export const hasGrammar = ({ script, languages }: CompiledAgent, language: string): boolean =>
  script !== undefined || languages.some(({ code, phrases }) => code === language && phrases !== undefined);

/** Any of them will do. */
export function recognisedBy(declared: CompiledRecognition, definition: CompiledAgent, language: string): Ability[] {
  const { provider } = declared;
  if (!runsHere(provider)) return [keyOf(provider, declared)];
  const byGrammar = `grammar:${espeakLanguage(language)}` as const;
  if (declared.engine === 'grammar') return [byGrammar];
  const byDictation = ['dictation', `dictation:${language.toLowerCase().split('-')[0]}`] as const;
  return hasGrammar(definition, language) ? [...byDictation, byGrammar] : [...byDictation];
}

export const spokenBy = (declared: CompiledSynthesis, language: string): Ability =>
  runsHere(declared.provider) ? `voice:${espeakLanguage(language)}` : keyOf(declared.provider, declared);

/** No variable has the name that stands for the key of a provider which this release does not have, or of a server without one of its own. */
const keyOf = (provider: string, declared: Parameters<typeof keyName>[1]): Ability =>
  `key:${keyName(provider, declared) ?? `that the provider "${provider}" needs`}`;

/** espeak-ng takes a region that it does not know (`en-au`), and a variant (`en+f9`), for the language; Piper writes `en_US-joe-medium`. */
export const espeakLanguage = (language: string): string =>
  espeakVoice(language.replace('_', '-')).split(/[-+]/u)[0] ?? language;

/** Variables that an agent could name and that hold something. Their names only. */
export const keysIn = (env: Variables): Ability[] =>
  Object.keys(env).flatMap((name) => (env[name] && isForAgents(name) ? [`key:${name}` as const] : []));

/** A sentence for each thing that is needed and that a host with these abilities lacks. */
export const unmetNeeds = (needs: SpeechNeeds, abilities: ReadonlySet<string>): string[] =>
  needs
    .filter((oneOf) => !oneOf.some((ability) => abilities.has(ability)))
    .map((oneOf) => `It needs ${oneOf.map(wording).join(', or ')}.`);

function wording(ability: Ability): string {
  const { python, recognizer, models } = settings.speech.settings;
  const [kind, name] = ability.split(':');
  if (kind === 'key') return `the variable ${name}`;
  if (kind === 'voice') return `espeak-ng with the language "${name}"`;
  if (kind === 'grammar') return `pocketsphinx (${python.name}) and espeak-ng with the language "${name}"`;
  if (name) return `a model that was fetched for "${name}" (${models.name})`;
  return `a recogniser of your own (${recognizer.name})`;
}
