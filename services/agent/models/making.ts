import type { llm } from '@livekit/agents';
import type { CompiledAgent, CompiledModel } from '../../agent-files/definition/compiled.ts';
import type { Variables } from '../../process/variables.ts';

/** Of the conversation, read for each answer: it may change its language, and a written one may become spoken. */
export interface LanguageAndMode {
  language: () => string;
  isSpoken: () => boolean;
}

export interface ModelContext extends LanguageAndMode {
  agent: CompiledAgent;
  env: Variables;
  /** What `auto` became. */
  provider: string;
}

/** What the `model.ts` of a provider exports. @throws ModelNotConfigured when a key or the script is missing */
export type MakeModel = (declared: CompiledModel, context: ModelContext) => llm.LLM;
