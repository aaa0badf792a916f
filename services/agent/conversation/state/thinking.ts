/** While the model makes its answer, and calls tools for it. */
import type { FactOf } from './fact.ts';
import type { ConversationState } from './state.ts';
import { type Step, step } from './step.ts';

export function toolBegan(state: ConversationState, { interruptible }: FactOf<'tool_began'>): Step {
  const { running, interruptible: all } = state.tools;
  const tools = { running: running + 1, interruptible: running > 0 ? all && interruptible : interruptible };
  return step({ ...state, tools });
}

export const toolEnded = (state: ConversationState): Step =>
  step({ ...state, tools: { ...state.tools, running: Math.max(0, state.tools.running - 1) } });

/** The model is done: its last word is waited for, and nobody waits for its first any more. */
export function thought(state: ConversationState, { turn, ...said }: FactOf<'thought'>): Step {
  if (state.activity.kind !== 'thinking' || state.activity.turn !== turn) return step(state);
  const { failed, interrupted, tokens } = said;
  const utterance = state.awaited?.utterance;
  const activity = { kind: 'telling', turn, thought: { failed, interrupted, tokens }, cut: false, utterance } as const;
  const known = { ...state, awaited: undefined, activity, tools: { running: 0, interruptible: true } };
  return step(known, { kind: 'tell', turn });
}
