/** Texts are answered one after another, in their order, none skipped. */
import type { EndReason } from '../../../contract/end-reasons.ts';
import { answerAwaited, isFilledFor, nobodyWaits } from './awaiting.ts';
import type { LineWords } from './effect.ts';
import type { TurnFact } from './fact.ts';
import { afterCut } from './interruption.ts';
import { over } from './life.ts';
import { type ConversationState, isUsedUp, type WaitingText } from './state.ts';
import { added, inTurn, removed, type Step, step } from './step.ts';

/** After so many turns in a row without a model the conversation is over. */
const maxFailedTurns = 5;

/** The next thing, when the agent is free: the greeting, then each text that waits, then the person's turn. */
export function goOn(state: ConversationState): Step {
  if (!mayGoOn(state)) return step(state);
  if (!state.isGreeted) return greet(state);
  const [text, ...waiting] = state.waiting;
  if (!text) return step(state, { kind: 'show', state: 'listening' }, { kind: 'mind_silence', now: 'silent' });
  const next = { ...state, waiting };
  return isUsedUp(state) ? refuse(next, text) : think(next, text);
}

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

/** Nothing of what the limits allow is left: the person is told, and the session ends. */
const refuse = (state: ConversationState, text: WaitingText): Step =>
  inTurn(
    state,
    (known) => step(known, { kind: 'leave_unanswered', text }),
    (known) => sayFirst(known, 'limitReached', { key: 'notice limit', next: 'budget_exhausted' }),
  );

/** A line beside what the agent is about. */
export const say = (state: ConversationState, words: LineWords, key: string): Step =>
  step(opened(state), { kind: 'say', line: state.next, words, key });

/** A line that is said to its end before anything else. */
function sayFirst(
  state: ConversationState,
  words: LineWords,
  { key, next }: { key: string; next: EndReason | 'go_on' },
): Step {
  return say({ ...state, activity: { kind: 'line', line: state.next, next } }, words, key);
}

const opened = (state: ConversationState): ConversationState => ({
  ...state,
  open: added(state.open, state.next),
  next: state.next + 1,
});

export function learnOfTurn(state: ConversationState, fact: TurnFact): Step {
  switch (fact.kind) {
    case 'thought':
      return thought(state, fact);
    case 'told':
      return told(state, fact);
    case 'arrival_known':
      return arrivalKnown(state, fact);
    case 'turn_closed':
      return turnClosed(state, fact.turn);
    case 'lingered':
      return state.activity.kind === 'leaving' ? over(state, { end: state.activity.reason }) : step(state);
    case 'cut_overdue':
      return state.cut?.cut === fact.cut ? afterCut(state) : step(state);
    case 'tool_began':
      return step({ ...state, tools: begun(state.tools, fact.interruptible) });
    case 'tool_ended':
      return step({ ...state, tools: { ...state.tools, running: Math.max(0, state.tools.running - 1) } });
    case 'end_wanted':
      return step({ ...state, ending: state.ending ?? { reason: fact.reason, farewell: false } });
    case 'cap_reached':
      return capReached(state);
    case 'farewell_overdue':
      return isInTurn(state) && state.ending?.farewell ? step(state, { kind: 'stop_speaking' }) : step(state);
    case 'line_due':
      return state.phase === 'open' ? say(state, { text: fact.text }, fact.key) : step(state);
    default:
      return fact satisfies never;
  }
}

/** The last line itself is not cut. */
const isInTurn = ({ activity }: ConversationState) => activity.kind === 'thinking' || activity.kind === 'telling';

const begun = ({ running, interruptible }: ConversationState['tools'], is: boolean): ConversationState['tools'] => ({
  running: running + 1,
  interruptible: running > 0 ? interruptible && is : is,
});

function thought(state: ConversationState, { turn, ...said }: Extract<TurnFact, { kind: 'thought' }>): Step {
  if (state.activity.kind !== 'thinking' || state.activity.turn !== turn) return step(state);
  const { failed, interrupted, tokens } = said;
  const utterance = state.awaited?.utterance;
  const activity = { kind: 'telling', turn, thought: { failed, interrupted, tokens }, cut: false, utterance } as const;
  const known = { ...nobodyWaits(state), activity, tools: { running: 0, interruptible: true } };
  return step(known, { kind: 'tell', turn });
}

function told(state: ConversationState, fact: Extract<TurnFact, { kind: 'told' }>): Step {
  const { activity } = state;
  if (activity.kind !== 'telling' || activity.turn !== fact.output) return lineTold(state, fact.output);
  const known = { ...state, activity: { ...activity, cut: fact.cut } };
  // Of a turn that ends while the conversation is given away, only what the person's client has counts as said.
  if (state.phase === 'handing_over' && fact.whole && fact.hasWords) {
    return step(known, { kind: 'ask_arrival', turn: activity.turn });
  }
  return close(known, fact.whole);
}

function arrivalKnown(state: ConversationState, { turn, arrived }: Extract<TurnFact, { kind: 'arrival_known' }>): Step {
  const isAsked = state.activity.kind === 'telling' && state.activity.turn === turn;
  return isAsked ? close(state, arrived) : step(state);
}

function close(state: ConversationState, arrived: boolean): Step {
  if (state.activity.kind !== 'telling') return step(state);
  const { turn, thought: said, cut } = state.activity;
  const interrupted = said.interrupted || cut;
  const isLeft = (state.isCutForHandover && (interrupted || !arrived)) || (state.phase === 'handing_over' && !arrived);
  const closing = {
    closesTurn: !isLeft,
    // What nobody has heard is not said: the successor answers anew.
    unsaid: isLeft && !arrived,
    interrupted: interrupted || said.failed,
    tokens: said.tokens,
  };
  return step(
    { ...state, activity: { kind: 'closing', turn, failed: said.failed && !isLeft, tokens: said.tokens } },
    { kind: 'close_turn', turn, closing },
  );
}

function turnClosed(state: ConversationState, turn: number): Step {
  if (state.activity.kind !== 'closing' || state.activity.turn !== turn) return step(state);
  const { failed, tokens } = state.activity;
  const used = { ...state.used, tokens: state.used.tokens + tokens };
  const failedTurns = failed ? state.failedTurns + 1 : 0;
  return inTurn(
    { ...state, used, failedTurns, activity: { kind: 'idle' } },
    (known) => outputOver(known, turn),
    (known) => (failed && known.phase === 'open' ? excuse(known) : nextOrEnd(known)),
  );
}

/** Never silence: the person hears that the model cannot answer. */
const excuse = (state: ConversationState): Step =>
  sayFirst(state, 'modelUnavailable', {
    key: `notice unavailable ${state.rules.epoch}.${state.next}`,
    next: state.failedTurns >= maxFailedTurns ? 'provider_failed' : 'go_on',
  });

function nextOrEnd(state: ConversationState): Step {
  if (state.phase === 'over') return step(state);
  const known = state.waiting.some(({ begun }) => !begun) ? goodbyeTakenBack(state) : state;
  // The goodbye of a former host belongs to a turn that it had begun: that comes first.
  const isDue = known.ending?.farewell || known.waiting.length === 0;
  return known.ending && isDue ? end(known, known.ending) : goOn(known);
}

const end = (state: ConversationState, { reason, farewell }: NonNullable<ConversationState['ending']>): Step =>
  farewell ? sayFirst(state, 'limitReached', { key: 'notice limit', next: reason }) : leave(state, reason);

/** No further turn begins: after the current one the person is told, and the session ends. */
function capReached(state: ConversationState): Step {
  if (state.phase !== 'open' || state.ending?.farewell || state.activity.kind === 'leaving') return step(state);
  const known: ConversationState = { ...state, ending: { reason: 'tenant_limit', farewell: true } };
  return state.activity.kind === 'idle' ? nextOrEnd(known) : step(known, { kind: 'time_farewell' });
}

function lineTold(state: ConversationState, line: number): Step {
  const { activity } = state;
  const isFirst = activity.kind === 'line' && activity.line === line;
  return inTurn(
    isFirst ? { ...state, activity: { kind: 'idle' } } : state,
    (known) => outputOver(known, line),
    (known) => (isFirst ? afterLine(known, activity.next) : tellQuiet(known)),
  );
}

const afterLine = (state: ConversationState, next: EndReason | 'go_on'): Step =>
  next === 'go_on' || state.phase === 'over' ? nextOrEnd(state) : leave(state, next);

const tellQuiet = (state: ConversationState): Step =>
  isQuiet(state) ? step(state, { kind: 'mind_silence', now: 'silent' }) : step(state);

const isQuiet = (state: ConversationState) =>
  state.phase === 'open' && state.activity.kind === 'idle' && state.open.size === 0;

/** What was cut is over: what the person said meanwhile comes after it. */
function outputOver(state: ConversationState, output: number): Step {
  const open = removed(state.open, output);
  if (!state.cut) return step({ ...state, open });
  const cut = { ...state.cut, open: removed(state.cut.open, output) };
  const known = { ...state, open, cut };
  return cut.open.size === 0 ? afterCut(known) : step(known);
}

/** The last words travel, then the session ends. */
const leave = (state: ConversationState, reason: EndReason): Step =>
  step({ ...state, activity: { kind: 'leaving', reason } }, { kind: 'linger' });

/** "Wait, one more thing": whoever says something before the goodbye is over is answered, and nothing ends. */
export function goodbyeTakenBack(state: ConversationState): ConversationState {
  const { activity } = state;
  const isLeaving = activity.kind === 'leaving' && activity.reason === 'agent_ended';
  return {
    ...state,
    ending: state.ending?.reason === 'agent_ended' ? undefined : state.ending,
    activity: isLeaving && state.phase === 'open' ? { kind: 'idle' } : activity,
  };
}
