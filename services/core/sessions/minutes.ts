/**
 * Minutes are computed from presence intervals and nothing else. All times are
 * milliseconds since the epoch; the figures are whole seconds, rounded half up once.
 */

export interface Interval {
  from: number;
  /** Open intervals are closed by the caller, at the end of the session. */
  to: number;
}

export interface MinutesInput {
  person: readonly Interval[];
  agent: readonly Interval[];
  endedAt: number;
  reconnectGraceMs: number;
}

export interface Minutes {
  /** First join, or undefined when nobody joined. */
  startedAt: number | undefined;
  durationSeconds: number;
  billedSeconds: number;
}

/** A person without an agent for longer than this is not billed for the rest of that time. */
const agentAbsenceToleratedMs = 5_000;

export function computeMinutes({ person, agent, endedAt, reconnectGraceMs }: MinutesInput): Minutes {
  const present = merge(clip(person, endedAt));
  const begin = present[0];
  if (!begin) return { startedAt: undefined, durationSeconds: 0, billedSeconds: 0 };
  // Nobody was there to talk to: nothing is billed, however long the person waited.
  const attended = merge(clip(agent.filter(hasLength), endedAt));
  const billedMs = attended.length === 0 ? 0 : billable(bridge(present, reconnectGraceMs), attended);
  return {
    startedAt: begin.from,
    durationSeconds: wholeSeconds(endedAt - begin.from),
    billedSeconds: wholeSeconds(billedMs),
  };
}

/** Coming and going in the same millisecond is no attendance. */
const hasLength = ({ from, to }: Interval) => to > from;

const wholeSeconds = (ms: number) => Math.floor(Math.max(0, ms) / 1000 + 0.5);

const clip = (intervals: readonly Interval[], end: number) =>
  intervals.map(({ from, to }) => ({ from, to: Math.min(to, end) })).filter(({ from, to }) => to >= from);

/** Overlapping and touching intervals become one; the same second is never counted twice. */
function merge(intervals: readonly Interval[]): Interval[] {
  const merged: Interval[] = [];
  for (const next of [...intervals].sort((a, b) => a.from - b.from)) {
    const last = merged.at(-1);
    if (last && next.from <= last.to) last.to = Math.max(last.to, next.to);
    else merged.push({ ...next });
  }
  return merged;
}

/** A gap within the grace, after which the person came back, belongs to the conversation. */
function bridge(intervals: readonly Interval[], graceMs: number): Interval[] {
  const bridged: Interval[] = [];
  for (const next of intervals) {
    const last = bridged.at(-1);
    if (last && next.from - last.to <= graceMs) last.to = next.to;
    else bridged.push({ ...next });
  }
  return bridged;
}

function billable(present: readonly Interval[], attended: readonly Interval[]): number {
  let total = 0;
  for (const stay of present) total += stay.to - stay.from - unattended(stay, attended);
  return total;
}

function unattended(stay: Interval, attended: readonly Interval[]): number {
  let lost = 0;
  let cursor = stay.from;
  for (const { from, to } of [...attended, { from: stay.to, to: stay.to }]) {
    if (to < stay.from) continue;
    const gap = Math.min(from, stay.to) - cursor;
    if (gap > agentAbsenceToleratedMs) lost += gap - agentAbsenceToleratedMs;
    cursor = Math.max(cursor, to);
    if (cursor >= stay.to) break;
  }
  return lost;
}
