import type { Evidence } from '../evidence.ts';
import { nobodyAliveIsDeclaredDeadTwice } from './deaths.ts';
import { noSessionOutlivesItsPerson } from './ends.ts';
import type { Judge } from './judge.ts';
import { minutesAreRight } from './minutes.ts';
import { nobodyPresentIsGone } from './presence.ts';
import { everybodyGoesOn, noReplyByTwo, noToolTwice, nothingAcceptedIsLost } from './replies.ts';

export const judges: readonly Judge[] = [
  nobodyPresentIsGone,
  nobodyAliveIsDeclaredDeadTwice,
  noSessionOutlivesItsPerson,
  minutesAreRight,
  noToolTwice,
  noReplyByTwo,
  nothingAcceptedIsLost,
  everybodyGoesOn,
];

/** Everything that is against any of them, with its name. */
export const verdict = (evidence: Evidence): string[] =>
  judges.flatMap(({ name, judge }) => judge(evidence).map((fault) => `${name}: ${fault}`));
