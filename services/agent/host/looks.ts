/** When a host looks at what: one poll serves it alone, while looks at the other hosts and notices for all of them grow with their number. */

import { channels } from '../../store/notify.ts';

export const pollMs = 250;
/** However many hosts there are, together they look at each other so often in a second: the first to see a free lock proves the death. */
const looksOfAllPerSecond = 16;
/** Less than the gap after which a watch begins anew (death-watch.ts), by as much as a busy host's timer is late. */
const atMostEveryMs = 1_000;

/** With few hosts each one looks at every poll, so that a death is proven as soon as it can be. */
export const lookAtOthersEveryMs = (others: number): number =>
  Math.min(atMostEveryMs, Math.max(pollMs, (others * 1_000) / looksOfAllPerSecond));

/** Whether a notice of work is for this host: it names the host that has the session, or nobody where anybody may take it. */
export const isWorkFor = (host: string, channel: string, payload: string): boolean =>
  channel === channels.work && (payload === '' || payload === host);
