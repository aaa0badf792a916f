import type { SeenCall } from '../support/phone/busy-carrier.ts';

/** A call as the database has it. */
export interface StoredCall {
  id: string;
  state: string;
  sip_code: number | null;
  refused_because: string | null;
  /** The state of its session; null without one. */
  session: string | null;
  billed_seconds: number | null;
}

export interface CallHistory {
  /** Ids of the calls that were asked for, by the number that was to be called: each number once. */
  asked: ReadonlyMap<string, string>;
  stored: readonly StoredCall[];
  /** By a carrier that says of everybody that they are busy. */
  seen: readonly SeenCall[];
}

export interface Judged {
  calls: number;
  /** How many came to which end. */
  ends: Record<string, number>;
  faults: string[];
}

/** States of a call of which no carrier has heard. */
const neverMade: readonly string[] = ['refused', 'unreachable', 'unknown'];

/** Compares each call with what the carrier saw of it: rung once at most, and stored as what the carrier said of it, or as unknown. */
export function judgeCalls({ asked, stored, seen }: CallHistory): Judged {
  const rows = new Map(stored.map((row) => [row.id, row]));
  const legs = Map.groupBy(seen, ({ number }) => number);
  const judged: Judged = { calls: asked.size, ends: {}, faults: [] };
  if (stored.length !== asked.size) judged.faults.push(`${asked.size} were asked for, and ${stored.length} are stored`);
  for (const number of legs.keys()) if (!asked.has(number)) judged.faults.push(`${number} was called unasked`);
  for (const [number, id] of asked) {
    const [row, rung] = [rows.get(id), legs.get(number) ?? []];
    const fault = row ? faultOf(row, rung) : 'it is not stored';
    if (fault) judged.faults.push(`${number}: ${fault}; stored ${JSON.stringify(row)}, seen ${JSON.stringify(rung)}`);
    const end = endOf(row, rung);
    judged.ends[end] = (judged.ends[end] ?? 0) + 1;
  }
  return judged;
}

function faultOf({ state, sip_code, session, billed_seconds }: StoredCall, seen: readonly SeenCall[]) {
  const [leg, ...more] = seen;
  if (more.length > 0) return `it was made ${seen.length} times`;
  if (session !== null && session !== 'ended') return 'its session goes on';
  if ((billed_seconds ?? 0) > 0) return 'it is billed';
  if (!leg) return neverMade.includes(state) && sip_code === null ? undefined : 'it was never made';
  if (state === 'busy') return sip_code === 486 && leg.answered === 486 ? undefined : 'nobody said that they are busy';
  // Whoever waited for the answer was killed.
  return state === 'unknown' && sip_code === null ? undefined : 'it was made, and they were busy';
}

function endOf(row: StoredCall | undefined, seen: readonly SeenCall[]): string {
  const because = row?.refused_because ? ` (${row.refused_because})` : '';
  return `${row?.state ?? 'lost'}${because}${seen.length > 0 ? '' : ', never made'}`;
}
