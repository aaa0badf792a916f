import type { LanguagesForWidget } from '../../../contract/widget.ts';
import { ofBrowser, storedJson } from '../../client/stored.ts';

/** What is kept in this browser of one agent, so that pages need not ask each time. */
export interface Kept {
  /** When the service was asked last, in milliseconds since 1970. */
  at: number;
  facts?: LanguagesForWidget;
  /** The key was refused: nothing is shown. */
  refused?: boolean;
}

/** How long a browser does not ask again. */
const freshMs = 10 * 60_000;

const stored = (agentKey: string) => storedJson(ofBrowser, `parley.widget.${agentKey}`);

export function readKept(agentKey: string): Kept | undefined {
  const kept = stored(agentKey).read() as Kept | undefined;
  return typeof kept?.at === 'number' ? kept : undefined;
}

export const keep = (agentKey: string, kept: Kept): void => stored(agentKey).write(kept);

/** Whether it is young enough. A clock that was set back does not keep it young for ever. */
export const isFresh = ({ at }: Kept, now: number): boolean => now - at < freshMs && now >= at;
