import type { AgentFacts } from '../shapes.ts';

/** What is kept in this browser of one agent, so that pages need not ask each time. */
export interface Kept {
  /** When the service was asked last, in milliseconds since 1970. */
  at: number;
  facts?: AgentFacts;
  /** The key was refused: nothing is shown. */
  refused?: boolean;
}

/** How long a browser does not ask again. */
const freshMs = 10 * 60_000;

const nameOf = (agentKey: string) => `parley.widget.${agentKey}`;

/** Storage may be forbidden or full; then each page asks. */
export function readKept(agentKey: string): Kept | undefined {
  try {
    const kept = JSON.parse(localStorage.getItem(nameOf(agentKey)) ?? 'null') as Kept | null;
    return typeof kept?.at === 'number' ? kept : undefined;
  } catch {
    return undefined;
  }
}

export function keep(agentKey: string, kept: Kept): void {
  try {
    localStorage.setItem(nameOf(agentKey), JSON.stringify(kept));
  } catch {
    return;
  }
}

/** Whether it is young enough. A clock that was set back does not keep it young for ever. */
export const isFresh = ({ at }: Kept, now: number): boolean => now - at < freshMs && now >= at;
