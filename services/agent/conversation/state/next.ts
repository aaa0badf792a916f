/** What a free agent does next. Texts are answered one after another, in their order, none skipped. */
import { answerAwaited, isFilledFor } from './awaiting.ts';
import { opened, sayFirst } from './saying.ts';
import type { ConversationState, WaitingText } from './state.ts';
import { inTurn, type Step, step } from './step.ts';

/** The greeting, then each text that waits, then the person's turn. */
export function goOn(state: ConversationState): Step {
  if (!mayGoOn(state)) return step(state);
  if (!state.isGreeted) return greet(state);
  const [text, ...waiting] = state.waiting;
  if (!text) return step(state, { kind: 'show', state: 'listening' }, { kind: 'mind_silence', now: 'silent' });
  const next = { ...state, waiting };
  return isUsedUp(state) ? refuse(next, text) : think(next, text);
}

/** Nothing of what the agent's file allows a session is left. */
export const isUsedUp = ({ used, rules }: ConversationState): boolean =>
  used.turns >= rules.mostTurns || used.tokens >= rules.mostTokens;

/** A last line is due, or nobody knows yet whether the answer is heard or read: then nothing is begun. */
function mayGoOn({ activity, isAwake, phase, mode, ending }: ConversationState): boolean {
  const isFree = activity.kind === 'idle' && isAwake && phase === 'open';
  return isFree && !ending?.farewell && !(mode.isAsking && mode.isSpoken);
}

const greet = (state: ConversationState): Step =>
  inTurn(
    { ...state, isGreeted: true },
    (known) => step(known, { kind: 'show', state: 'listening' }),
    (known) => sayFirst(known, 'greeting', { key: 'greeting', next: 'go_on' }),
  );

function think(state: ConversationState, text: WaitingText): Step {
  const turn = state.next;
  const begun: ConversationState = {
    ...opened(state),
    activity: { kind: 'thinking', turn, text },
    tools: { running: 0, interruptible: true },
    used: { ...state.used, turns: state.used.turns + 1 },
  };
  const isFilled = isFilledFor(state, text.key);
  return inTurn(
    begun,
    (known) => step(known, { kind: 'show', state: 'thinking' }, { kind: 'think', turn, text, isFilled }),
    (known) => answerAwaited(known, text),
  );
}

/** The person is told, and the session ends. */
const refuse = (state: ConversationState, text: WaitingText): Step =>
  inTurn(
    state,
    (known) => step(known, { kind: 'leave_unanswered', text }),
    (known) => sayFirst(known, 'limitReached', { key: 'notice limit', next: 'budget_exhausted' }),
  );
