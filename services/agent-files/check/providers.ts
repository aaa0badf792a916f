/**
 * What the schema cannot say about models, voices and providers: whether this version of the service can use them, and whether the
 * plugins know their names. Not checked, as no plugin lists them: voices of elevenlabs and cartesia (ids of an account), models
 * of `local`, models of realtime agents and of other endpoints (`baseUrl`), and whether a voice speaks its language.
 */
import type { AgentFile, FallbackModel, Model } from '../../contract/generated/agent.ts';
import { nearest } from '../../contract/nearest.ts';
import { espeakVoices } from '../definition/espeak-voices.ts';
import { includesCode } from '../definition/localized.ts';
import { autoProvider } from '../definition/model-choice.ts';
import { factsOf, isItsOwn, keyName, runsHere } from '../definition/provider-facts.ts';
import { isPiperVoice, speechModels } from '../definition/speech-models.ts';
import { declaredFor, providerOf } from '../definition/speech-needs.ts';
import type { Finding } from '../faults.ts';

export function checkModels({ model, script }: AgentFile): Finding[] {
  const { fallbacks, ...first } = model;
  return [
    ...checkModel(first, ['model'], script !== undefined),
    ...fallbacks.flatMap((fallback, index) =>
      checkModel(fallback, ['model', 'fallbacks', `${index}`], script !== undefined),
    ),
  ];
}

function checkModel(
  { provider, name, baseUrl }: Omit<Model, 'fallbacks'> | FallbackModel,
  path: readonly string[],
  hasScript: boolean,
): Finding[] {
  const actual = provider === 'auto' ? autoProvider : provider;
  const { names, needsScript } = factsOf(actual)?.model ?? {};
  if (needsScript && !hasScript) {
    const message = `The ${provider} model follows the agent's "script", and there is none: write one.`;
    return [{ path: [...path, 'provider'], rule: 'model-script', message }];
  }
  // Other endpoints of this protocol have models of their own.
  if (baseUrl !== undefined) return name === undefined && !isItsOwn(actual, baseUrl) ? [nameless(actual, path)] : [];
  return unknownName({ kind: 'model', provider: actual, name, known: names }, [...path, 'name']);
}

/** A warning: a server that has one model only may answer whatever it is asked for. */
function nameless(provider: string, path: readonly string[]): Finding {
  const message = `A server of your own has models of its own: give the "name" of one, or it is asked for the usual one of ${provider}.`;
  return { path: [...path, 'baseUrl'], rule: 'model-name', message, severity: 'warning' };
}

export function checkSpeechModels({ speech }: AgentFile): Finding[] {
  return (['recognition', 'synthesis'] as const).flatMap((kind) =>
    speech[kind].flatMap(({ provider, model }, index) => {
      const known = factsOf(provider)?.speech?.[kind];
      return unknownName({ kind: 'model', provider, name: model, known }, ['speech', kind, `${index}`, 'model']);
    }),
  );
}

/** Recognition, synthesis and realtime models always take a key; a model of text may run on a server that takes none. */
export function checkSpeechKeys({ speech, realtime }: AgentFile): Finding[] {
  return [
    ...(['recognition', 'synthesis'] as const).flatMap((kind) =>
      speech[kind].flatMap((declared, index) => keyMissing(declared.provider, declared, ['speech', kind, `${index}`])),
    ),
    ...(realtime === undefined ? [] : keyMissing(realtime.provider, realtime, ['realtime'])),
  ];
}

function keyMissing(provider: string, declared: Parameters<typeof keyName>[1], path: readonly string[]): Finding[] {
  if (factsOf(provider)?.key === undefined || keyName(provider, declared) !== undefined) return [];
  const message = `The usual key of ${provider} is for ${provider} only: name the key of this server as "apiKey".`;
  return [{ path: [...path, 'baseUrl'], rule: 'server-key', message }];
}

/** A voice without a provider belongs to the first of speech.synthesis that speaks its language. */
export function checkProvidersVoices({ languages, speech }: AgentFile): Finding[] {
  return languages.flatMap(({ code, voices }, language) =>
    voices.flatMap(({ provider: named, id, model }, voice) => {
      const provider = providerOf(declaredFor(code, speech.synthesis), named);
      const path = ['languages', `${language}`, 'voices', `${voice}`, model === undefined ? 'id' : 'model'];
      if (runsHere(provider)) return checkLocalVoice(model ?? id, path);
      const known = factsOf(provider)?.speech?.voices;
      return unknownName({ kind: 'voice', provider, name: model ?? id, known }, path);
    }),
  );
}

/** A warning: another release of espeak-ng may have it. A variant is not looked at: espeak-ng ignores one that it does not know. */
function checkLocalVoice(name: string, path: readonly string[]): Finding[] {
  if (isPiperVoice(name)) return checkPiperVoice(name, path);
  const [voice = ''] = name.toLowerCase().split('+');
  if (espeakVoices.some((known) => known === voice || known.startsWith(`${voice}-`))) return [];
  const message = `espeak-ng has no voice "${name}", so the default one of the language would speak. Give a name of espeak-ng's as "model", such as en-us+f3.`;
  return [{ path, rule: 'voice-unknown', message, severity: 'warning' }];
}

/** A warning: it may have been put there by hand. */
function checkPiperVoice(name: string, path: readonly string[]): Finding[] {
  const known = speechModels.filter(({ engine }) => engine === 'piper').map((voice) => voice.name);
  return unknownName({ kind: 'voice', provider: 'Piper', name, known }, path);
}

/** A provider that is declared for languages only is declared for the agent's own. */
export function checkSpeechLanguages({ languages, speech }: AgentFile): Finding[] {
  const codes = languages.map(({ code }) => code);
  return (['recognition', 'synthesis'] as const).flatMap((kind) =>
    speech[kind].flatMap(({ languages: only = [] }, index) =>
      only.flatMap((code, at): Finding[] => {
        if (includesCode(codes, code)) return [];
        const message = `The agent does not speak "${code}"; its languages are ${codes.join(', ')}.`;
        return [{ path: ['speech', kind, `${index}`, 'languages', `${at}`], rule: 'speech-language', message }];
      }),
    ),
  );
}

interface Named {
  kind: 'model' | 'voice';
  provider: string | undefined;
  name: string | undefined;
  /** Undefined where the plugin has no list. */
  known: readonly string[] | undefined;
}

/** A warning: a provider may have something that its plugin does not know. */
function unknownName({ kind, provider, name, known }: Named, path: readonly string[]): Finding[] {
  if (name === undefined || known === undefined || known.includes(name)) return [];
  const near = nearest(name, known);
  const hint = near === undefined ? `Known: ${known.slice(0, 12).join(', ')}.` : `Did you mean "${near}"?`;
  return [
    {
      path,
      rule: `${kind}-unknown`,
      message: `The ${provider} plugin knows no ${kind} "${name}"; leave this if the provider has it. ${hint}`,
      severity: 'warning',
    },
  ];
}
