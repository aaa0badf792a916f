/** What the schema cannot say about models, voices and providers: whether this version of the service can use them. */
import type { AgentFile, FallbackModel, Model } from '../generated/agent.ts';
import { nearest } from '../nearest.ts';
import type { Finding } from './faults.ts';
import { openaiChatModels, openaiRecognitionModels, openaiSynthesisModels, openaiVoices } from './known-models.ts';

/** In the schema for later versions; a session of such an agent would fail at its first word. */
const notBuiltIn: readonly string[] = ['google', 'anthropic'];

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
  if (notBuiltIn.includes(provider)) {
    const message = `The model provider "${provider}" is not built in yet. Use openai (any compatible endpoint, by baseUrl) or scripted.`;
    return [{ path: [...path, 'provider'], rule: 'model-provider', message }];
  }
  if (provider === 'scripted' && !hasScript) {
    const message = 'The scripted model follows the agent\'s "script", and there is none: write one.';
    return [{ path: [...path, 'provider'], rule: 'model-script', message }];
  }
  // Other endpoints of this protocol have models of their own.
  if (provider === 'scripted' || baseUrl !== undefined) return [];
  return unknownName('model', name, [...path, 'name'], openaiChatModels);
}

export function checkSpeechModels({ speech: { recognition, synthesis } }: AgentFile): Finding[] {
  return [
    ...recognition.flatMap(({ provider, model }, index) =>
      provider === 'openai'
        ? unknownName('model', model, ['speech', 'recognition', `${index}`, 'model'], openaiRecognitionModels)
        : [],
    ),
    ...synthesis.flatMap(({ provider, model }, index) =>
      provider === 'openai'
        ? unknownName('model', model, ['speech', 'synthesis', `${index}`, 'model'], openaiSynthesisModels)
        : [],
    ),
  ];
}

/** A voice without a provider belongs to the first of speech.synthesis. */
export function checkProvidersVoices({ languages, speech }: AgentFile): Finding[] {
  return languages.flatMap(({ voices }, language) =>
    voices.flatMap(({ provider = speech.synthesis[0]?.provider, id, model }, voice) => {
      if (provider !== 'openai') return [];
      const path = ['languages', `${language}`, 'voices', `${voice}`, model === undefined ? 'id' : 'model'];
      return unknownName('voice', model ?? id, path, openaiVoices);
    }),
  );
}

/** A warning: a provider may have something newer than its plugin knows. */
function unknownName(
  kind: 'model' | 'voice',
  name: string | undefined,
  path: readonly string[],
  known: readonly string[],
): Finding[] {
  if (name === undefined || known.includes(name)) return [];
  const near = nearest(name, known);
  const hint = near === undefined ? `Known: ${known.slice(0, 12).join(', ')}.` : `Did you mean "${near}"?`;
  return [
    {
      path,
      rule: `${kind}-unknown`,
      message: `The openai plugin knows no ${kind} "${name}"; leave this if it is newer. ${hint}`,
      severity: 'warning',
    },
  ];
}
