/** On which model an agent's scenarios run, and its name in stored passes. */
import type { Variables } from '../../process/variables.ts';
import type { CompiledAgent, CompiledModel } from '../definition/compiled.ts';
import { providerHere } from '../definition/model-choice.ts';
import type { ModelChoice } from './report.ts';

const scripted: CompiledModel = { provider: 'scripted', maxOutputTokens: 500, timeoutMs: 10_000 };

/** The agent as its scenarios run it: with one model, whose failure no other hides. */
export function agentForScenarios(agent: CompiledAgent, choice: ModelChoice): CompiledAgent {
  const model = choice === 'scripted' && agent.script ? scripted : agent.model;
  return { ...agent, model, modelFallbacks: [] };
}

/** Such as `scripted` or `openai gpt-4.1-mini`: passes on one model say nothing about another. */
export function modelName({ model }: Pick<CompiledAgent, 'model'>, env: Variables): string {
  const provider = providerHere(model, env);
  if (provider === 'scripted') return provider;
  return [provider, model.name ?? 'default', model.baseUrl].filter((part) => part !== undefined).join(' ');
}
