import { expect, test } from 'vitest';
import { ModelNotConfigured, makeModel } from '../../services/agent/models/model.ts';
import type { CompiledModel } from '../../services/agent-files/definition/compiled.ts';
import { providerHere } from '../../services/agent-files/definition/model-choice.ts';
import { agentForScenarios, modelName } from '../../services/agent-files/scenarios/model.ts';
import { onThisMachine } from '../support/stand-ins/on-this-machine.ts';
import { compiledAgent } from '../support/world/compiled-agent.ts';

const limits = { maxOutputTokens: 100, timeoutMs: 5_000 };
const models: CompiledModel[] = [
  { ...limits, provider: 'scripted' },
  { ...limits, provider: 'openai' },
  { ...limits, provider: 'auto' },
  { ...limits, provider: 'auto', baseUrl: 'http://127.0.0.1:1/v1' },
  { ...limits, provider: 'auto', apiKey: { env: 'OWN_KEY' } },
  { ...limits, provider: 'auto', apiKey: { env: 'OWN_KEY' }, baseUrl: 'http://127.0.0.1:1/v1' },
];

type Variables = Readonly<Record<string, string>>;

/** What the agent host makes of it; openai too where it fails for want of its key. */
function madeBy(model: CompiledModel, env: Variables): string {
  const agent = compiledAgent({ definition: { model, modelFallbacks: [], script: { rules: [], fallback: {} } } });
  try {
    return makeModel(agent, { language: () => 'en', isSpoken: () => false }, { ...onThisMachine, ...env }).provider ===
      'embedded'
      ? 'scripted'
      : 'openai';
  } catch (error) {
    if (error instanceof ModelNotConfigured) return 'openai';
    throw error;
  }
}

test('the gate and the agent host agree about what a declared model is here', () => {
  for (const env of [{}, { OPENAI_API_KEY: 'x' }, { OWN_KEY: 'x' }, { OWN_KEY: '' }] as Variables[])
    for (const model of models)
      expect([model, env, providerHere(model, env)]).toEqual([model, env, madeBy(model, env)]);
});

test('agents with a script are tried on it unless their own model is asked for; nobody on a fallback', () => {
  const [, model, fallback] = models as [CompiledModel, CompiledModel, CompiledModel];
  const script = { rules: [], fallback: { '*': 'Yes?' } };
  const agent = compiledAgent({ definition: { model, modelFallbacks: [fallback], script } });
  const { script: _, ...scriptless } = agent;
  const nameOf = (...given: Parameters<typeof agentForScenarios>) => modelName(agentForScenarios(...given), {});
  expect(nameOf(agent, 'scripted')).toBe('scripted');
  expect(nameOf(agent, 'declared')).toBe('openai default');
  expect(nameOf(scriptless, 'scripted')).toBe('openai default');
  expect(agentForScenarios(agent, 'declared').modelFallbacks).toEqual([]);
});
