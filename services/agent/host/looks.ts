/** When a host looks at what: one poll serves it alone, while looks at the other hosts and notices for all of them grow with their number. */

import { channels } from '../../store/notify.ts';

export const pollMs = 250;
/** However many hosts there are, together they look at each other so often in a second: the first to see a free lock proves the death. */
const looksOfAllPerSecond = 16;
/** Callers of a dead host hear nothing until somebody has looked: a look is one statement. */
export const atLeastEveryMs = 100;
/** Less than the gap after which a watch begins anew (death-watch.ts), by as much as a busy host's timer is late. */
const atMostEveryMs = 1_000;

/** The fewer hosts there are the more often each one looks, so that a death is soon suspected; one that knows of no other looks for newcomers. */
export const lookAtOthersEveryMs = (others: number): number =>
  others === 0 ? pollMs : Math.min(atMostEveryMs, Math.max(atLeastEveryMs, (others * 1_000) / looksOfAllPerSecond));

/** Whether a notice of work is for this host: it names the host that has the session, or nobody where anybody may take it. */
export const isWorkFor = (host: string, channel: string, payload: string): boolean =>
  channel === channels.work && (payload === '' || payload === host);
