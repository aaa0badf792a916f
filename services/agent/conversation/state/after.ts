/** After a turn, or a line, what comes next: what the person said over it, the next text, or the end. */
import type { EndReason } from '../../../contract/end-reasons.ts';
import type { FactOf } from './fact.ts';
import { end, goodbyeTakenBack, leave } from './goodbye.ts';
import { afterCut } from './interruption.ts';
import { goOn } from './next.ts';
import { sayFirst } from './saying.ts';
import type { ConversationState } from './state.ts';
import { inTurn, removed, type Step, step } from './step.ts';

/** After so many turns in a row without a model the conversation is over. */
const maxFailedTurns = 5;

export function turnClosed(state: ConversationState, { turn }: FactOf<'turn_closed'>): Step {
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

/** Only a line that goes first is followed by something. */
export function lineTold(state: ConversationState, line: number): Step {
  const { activity } = state;
  const isFirst = activity.kind === 'line' && activity.line === line;
  return inTurn(
    isFirst ? { ...state, activity: { kind: 'idle' } } : state,
    (known) => outputOver(known, line),
    (known) => (isFirst ? afterLine(known, activity.next) : tellQuiet(known)),
  );
}

/** Never silence: the person hears that the model cannot answer. */
const excuse = (state: ConversationState): Step =>
  sayFirst(state, 'modelUnavailable', {
    key: `notice unavailable ${state.rules.epoch}.${state.next}`,
    next: state.failedTurns >= maxFailedTurns ? 'provider_failed' : 'go_on',
  });

const afterLine = (state: ConversationState, next: EndReason | 'go_on'): Step =>
  next === 'go_on' || state.phase === 'over' ? nextOrEnd(state) : leave(state, next);

function nextOrEnd(state: ConversationState): Step {
  if (state.phase === 'over') return step(state);
  const known = state.waiting.some(({ begun }) => !begun) ? goodbyeTakenBack(state) : state;
  // The goodbye of a former host belongs to a turn that it had begun: that comes first.
  const isDue = known.ending?.farewell || known.waiting.length === 0;
  return known.ending && isDue ? end(known, known.ending) : goOn(known);
}

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
