/** Who speaks, or writes, over the agent. */
import type { IncomingText } from '../../room/hearing.ts';
import { isMeant } from '../voice/meaning.ts';
import type { FactOf, Playout } from './fact.ts';
import type { ConversationState } from './state.ts';
import { type Step, step } from './step.ts';

/**
 * So long after the agent is first heard the person's device may send its voice back, until echo cancellation has learned it. The
 * framework waits as long (agents 1.4, `aec_warmup_duration`; livekit/agents#4813).
 */
const echoMs = 3_000;

/**
 * What is being said ends here, and what the person says comes after it in the transcript. Before it is cut a second time the first cut
 * is over.
 */
export function cut(state: ConversationState): Step {
  if (state.cut) return step(state);
  if (state.open.size === 0) return step(state, { kind: 'stop_speaking' });
  const number = state.next;
  return step(
    { ...state, next: number + 1, cut: { cut: number, open: state.open, texts: [] } },
    { kind: 'stop_speaking' },
    { kind: 'time_cut', cut: number },
  );
}

/** The person's button, of an answer that is read as of one that is heard. */
export const interruptPressed = (state: ConversationState): Step => (state.phase === 'open' ? cut(state) : step(state));

/** What was cut did not stop in time, and is not waited for. */
export const cutOverdue = (state: ConversationState, fact: FactOf<'cut_overdue'>): Step =>
  state.cut?.cut === fact.cut ? afterCut(state) : step(state);

/** Stored and put in line: at once, or after what it cut short. */
export function takeIn(state: ConversationState, text: IncomingText): Step {
  if (!state.cut) return step(state, { kind: 'take_in', text });
  return step({ ...state, cut: { ...state.cut, texts: [...state.cut.texts, text] } });
}

export const afterCut = (state: ConversationState): Step =>
  step({ ...state, cut: undefined }, ...(state.cut?.texts ?? []).map((text) => ({ kind: 'take_in', text }) as const));

/** Whether words that come now may cut what is being said: a tool that is at work goes on, and they are answered after it. */
export const mayCut = ({ rules, tools }: ConversationState): boolean =>
  rules.interruption.enabled && (tools.running === 0 || tools.interruptible);

/** Whether words that are spoken now want an answer, or are how people listen. */
export function wantsAnswer({ rules }: ConversationState, text: string, playout: Playout | undefined): boolean {
  if (!playout?.isHeard) return text !== '';
  if (isWarmingUp(playout) && isEcho(text, playout)) return false;
  // Everything was said: nothing is interrupted.
  if (playout.ahead.trim() === '') return text !== '';
  return isMeant(text, {
    ahead: playout.sentence + playout.ahead,
    minWords: rules.interruption.minWords,
    language: playout.language,
  });
}

/** The agent was first heard a moment ago: a sound may be its own. */
export const isWarmingUp = (playout: Playout | undefined): boolean =>
  playout?.heardForMs !== undefined && playout.heardForMs < echoMs;

/** The agent's own words, come back. */
function isEcho(text: string, { sentence, ahead }: Playout): boolean {
  const own = lettersOf(sentence + ahead.slice(0, text.length));
  return own.includes(lettersOf(text));
}

const lettersOf = (text: string) =>
  text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
