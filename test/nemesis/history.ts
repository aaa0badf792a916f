/** What was done and what was seen, in the order in which the test learnt of it. Milliseconds after the conversations began. */
export type Happening =
  | { kind: 'fault'; name: string; phase: 'begins' | 'ends' }
  /** `sinceMs`: before that it was not in the room. */
  | { kind: 'joined'; session: string; sinceMs: number }
  /** Its client was killed: nobody is told. */
  | { kind: 'vanished'; session: string }
  /** `untilMs`: after that it was not in the room. */
  | { kind: 'left'; session: string; untilMs: number }
  /** The room server, or the client itself, gave the connection up; the person did not want to go. */
  | { kind: 'lost the room'; session: string; reason: number }
  | { kind: 'wrote'; session: string; text: string }
  /** A whole reply; `atMs` is when it had ended. */
  | { kind: 'heard'; session: string; text: string; beganMs: number; speaker: string }
  | { kind: 'not answered'; session: string; text: string }
  /** All was healed, and nobody answered for a minute. */
  | { kind: 'gave up'; session: string }
  /** By its caller, at the end. */
  | { kind: 'was ended'; session: string; billedSeconds: number; untilMs: number }
  | { kind: 'noted'; what: string };

export type Entry = Happening & { atMs: number };

export class History {
  readonly entries: Entry[] = [];
  readonly #beganMs = performance.now();
  /** The same moment by the clock, as PostgreSQL would say it. */
  readonly beganAt = new Date();

  /** Milliseconds after the conversations began, of a monotonic time. */
  at(monotonicMs = performance.now()): number {
    return Math.round(monotonicMs - this.#beganMs);
  }

  /** @param monotonicMs when it happened, if that was not just now */
  add(happening: Happening, monotonicMs?: number): void {
    this.entries.push({ ...happening, atMs: this.at(monotonicMs) });
  }
}

/** One line an entry, by time. */
export function renderHistory(entries: readonly Entry[]): string {
  return [...entries]
    .sort((a, b) => a.atMs - b.atMs)
    .map(({ atMs, kind, ...rest }) => `${(atMs / 1_000).toFixed(2).padStart(8)} ${kind} ${values(rest)}`)
    .join('\n');
}

const values = (facts: object) =>
  Object.entries(facts)
    .map(([name, value]) => (name === 'session' ? String(value).slice(-6) : `${name}=${JSON.stringify(value)}`))
    .join(' ');
