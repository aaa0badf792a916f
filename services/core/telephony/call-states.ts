import { type EndReason, ends } from '../../contract/end-reasons.ts';
import type { CallState, HungUpBy } from '../../contract/telephony.ts';
import type { CallRow } from '../../store/tables/calls.ts';

const over: readonly CallState[] = ['ended', 'canceled', 'refused', 'unknown'];
const unanswered: readonly CallState[] = ['busy', 'declined', 'no_answer', 'invalid_number', 'unreachable'];

/** Which state may follow which; nothing else moves. */
const moves: Record<CallState, readonly CallState[]> = {
  queued: ['dialing', ...over],
  dialing: ['ringing', 'answered', ...unanswered, ...over],
  ringing: ['answered', ...unanswered, ...over],
  answered: ['ended'],
  ended: [],
  busy: [],
  declined: [],
  no_answer: [],
  invalid_number: [],
  unreachable: [],
  canceled: [],
  unknown: [],
  refused: [],
};

export const mayMove = (from: CallState, to: CallState): boolean => moves[from].includes(to);

export const isOver = (state: CallState): boolean => moves[state].length === 0;

/** What a final answer other than 200 says of a call, by RFC 3261, section 21. */
export function stateOfSipCode(code: number): CallState {
  switch (code) {
    case 486:
    case 600:
      return 'busy';
    case 603:
    case 607:
    case 608:
      return 'declined';
    case 408:
    case 480:
    case 487:
      return 'no_answer';
    case 404:
    case 410:
    case 484:
    case 485:
    case 604:
      return 'invalid_number';
    default:
      return 'unreachable';
  }
}

/** What becomes of a call whose session has ended. */
export function endOfCall(
  { direction, answered_at, dialed_at }: Pick<CallRow, 'direction' | 'answered_at' | 'dialed_at'>,
  reason: EndReason,
): { state: CallState; hungUpBy?: HungUpBy; refusedBecause?: string } {
  if (answered_at) return { state: 'ended', ...hungUpOn(reason) };
  const { hungUpBy } = ends[reason];
  if (hungUpBy === 'agent') return { state: 'canceled' };
  if (direction === 'inbound' && hungUpBy === 'person') return { state: 'canceled', hungUpBy };
  // Its bridge died while it rang: whether the caller still waits, nobody knows.
  if (direction === 'inbound' && reason === 'room_lost') return { state: 'unknown' };
  if (!dialed_at) return { state: 'refused', refusedBecause: reason };
  return { state: reason === 'never_joined' ? 'no_answer' : 'unknown' };
}

function hungUpOn(reason: EndReason): { hungUpBy?: HungUpBy } {
  const { hungUpBy } = ends[reason];
  return hungUpBy === 'nobody' ? {} : { hungUpBy };
}
