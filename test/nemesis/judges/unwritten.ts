import type { Evidence } from '../evidence.ts';
import { cutsOff, endOf, hostRoles, mayKill } from '../faults.ts';

/** Times of the history. */
interface Span {
  fromMs: number;
  toMs: number;
}

/** Of what was said a moment before, nobody may have been told yet. */
const beforeMs = 1_000;
/** A host learns up to 3 s late that nothing answers, and needs a moment to find back (docs/operate/outages.md). */
const afterMs = 3_000;

/**
 * While a host can't write, what it says is known to itself alone: if it is gone before it can, or taken for dead, its successor answers
 * the same text again, and nobody pays for the time. That is said in docs/operate/outages.md.
 */
export function unwritten({ schedule }: Evidence): Span[] {
  return schedule.faults
    .filter((fault) => hostRoles.some((role) => cutsOff(fault, role)))
    .map((fault) => ({ fromMs: fault.atMs - beforeMs, toMs: endOf(fault) + afterMs }));
}

/** Those in which a host that talks may be taken for dead as of its last beat. */
export const unproven = ({ schedule, ...evidence }: Evidence): Span[] =>
  unwritten({ ...evidence, schedule: { ...schedule, faults: schedule.faults.filter(mayKill) } });

export const isIn = (spans: readonly Span[], atMs: number): boolean =>
  spans.some(({ fromMs, toMs }) => atMs >= fromMs && atMs <= toMs);
