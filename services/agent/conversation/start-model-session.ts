import { renderInstructions } from '../../agent-files/definition/instructions.ts';
import type { ModelWatch } from '../models/watch.ts';
import { toChatItems, unanswered, wasBegun } from './history.ts';
import type { Loaded } from './loading.ts';
import { ModelSession, type ModelSessionOptions } from './model-session.ts';
import type { ToolGuard } from './tool-guard.ts';

export interface StartParts {
  guard: ToolGuard;
  onWords: (text: string) => void;
  /** Whether the person hears the answers. */
  isSpoken: () => boolean;
  now: Date;
  env: NodeJS.ProcessEnv;
  models: ModelWatch;
}

/**
 * The model of a session as it was loaded: the version's instructions, tools and what was said so far. Texts that wait for
 * an answer are left out, because they are given one by one; a turn that was begun is in it, and is gone on with.
 */
export const startModelSession = (loaded: Loaded, parts: StartParts): Promise<ModelSession> =>
  ModelSession.start(modelSessionOptions(loaded, parts));

export function modelSessionOptions(
  loaded: Loaded,
  { guard, onWords, isSpoken, now, env, models }: StartParts,
): ModelSessionOptions {
  const { definition, session } = loaded;
  const instructions = instructionsOf(loaded, now);
  const waiting = unanswered(loaded).filter((message) => !wasBegun(loaded, message.sequence));
  return {
    definition,
    instructions: () => instructions(isSpoken()),
    language: () => session.language,
    isSpoken,
    tools: definition.tools.map((tool) => guard.wrap(tool)),
    history: toChatItems(loaded, new Set(waiting.map((message) => message.sequence))),
    onWords,
    env,
    models,
    headStart: definition.speech !== undefined && definition.speech.preemptiveGeneration !== false,
  };
}

/**
 * The instructions for who hears the answers, and for who reads them: made when they are first asked for, because nothing else of them
 * changes while a host has the conversation.
 */
export function instructionsOf(
  { definition, session, callVariables }: Pick<Loaded, 'definition' | 'session' | 'callVariables'>,
  now: Date,
) {
  const { language, channel, prompt_override: override } = session;
  const render = (isSpoken: boolean) =>
    renderInstructions(definition, {
      ...{ now, language, channel, isSpoken },
      ...(callVariables && { callVariables }),
      ...(override === null ? {} : { systemPrompt: override }),
    });
  const rendered = new Map<boolean, string>();
  return (isSpoken: boolean): string => {
    const text = rendered.get(isSpoken) ?? render(isSpoken);
    rendered.set(isSpoken, text);
    return text;
  };
}
