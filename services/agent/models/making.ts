import type { llm } from '@livekit/agents';
import type { CompiledAgent, CompiledModel } from '../../agent-files/definition/compiled.ts';
import type { Variables } from '../../process/variables.ts';

export interface ModelContext {
  agent: CompiledAgent;
  /** Read for each answer: a conversation may change its language. */
  language: () => string;
  env: Variables;
  /** What `auto` became. */
  provider: string;
}

/** What the `model.ts` of a provider exports. @throws ModelNotConfigured when a key or the script is missing */
export type MakeModel = (declared: CompiledModel, context: ModelContext) => llm.LLM;
