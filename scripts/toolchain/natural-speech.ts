/** Which models agents need to hear and speak naturally on this machine. */
import type { CompiledAgent } from '../../services/agent-files/definition/compiled.ts';
import { runsHere } from '../../services/agent-files/definition/provider-facts.ts';
import {
  isPiperVoice,
  piperVoicesOf,
  type SpeechModel,
  serves,
  speechModelNamed,
  speechModels,
} from '../../services/agent-files/definition/speech-models.ts';
import { providerOf, recognitionOf, synthesisOf } from '../../services/agent-files/definition/speech-needs.ts';

type Agent = Pick<CompiledAgent, 'languages' | 'speech' | 'voiceAgentKind'>;

/** Each once: what recognises first, then voices. */
export function modelsFor(agents: readonly Agent[]): SpeechModel[] {
  const speaking = agents.filter(({ voiceAgentKind }) => voiceAgentKind !== 'realtime') as CompiledAgent[];
  const recognisers = speaking.flatMap((agent) => agent.languages.flatMap(({ code }) => recogniserFor(agent, code)));
  const voices = speaking.flatMap((agent) => agent.languages.flatMap(({ code }) => voicesFor(agent, code)));
  return [...new Set([...recognisers, ...voices])];
}

function recogniserFor(agent: CompiledAgent, language: string): SpeechModel[] {
  const isDictated = recognitionOf(agent, language).some(
    ({ provider, engine }) => runsHere(provider) && engine !== 'grammar',
  );
  const model = speechModels.find((one) => one.engine === 'whisper' && serves(one, language));
  return isDictated && model ? [model] : [];
}

/** Those that the agent names; where it names none, one of the language. */
function voicesFor(agent: CompiledAgent, language: string): SpeechModel[] {
  const synthesis = synthesisOf(agent, language);
  if (!synthesis.some(({ provider }) => runsHere(provider))) return [];
  const declared = agent.languages.find(({ code }) => code === language)?.voices ?? [];
  const ours = declared.filter(({ provider }) => runsHere(providerOf(synthesis, provider)));
  if (ours.length === 0) return piperVoicesOf(language).slice(0, 1);
  return ours.flatMap(({ id, model }) => {
    const name = model ?? id;
    const known = isPiperVoice(name) ? speechModelNamed(name) : undefined;
    return known ? [known] : [];
  });
}
