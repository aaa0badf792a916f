import type { Outgoing } from '../../../client/outbox.ts';
import type { Entry } from '../../../client/transcript.ts';
import type { State } from './state.ts';

/** A conversation as this tab remembers it over a reload. */
export interface Remembered {
  sessionId: string;
  language: string;
  entries: Entry[];
  isOpen: boolean;
  wasSpoken: boolean;
}

/** Beyond this the beginning is forgotten: the tab's storage is small, and the page's too. */
const mostEntries = 100;
const longestText = 4_000;

const nameOf = (agentKey: string) => `parley.session.${agentKey}`;

export interface Memory {
  read(): Remembered | undefined;
  write(state: State, more: { language: string; isOpen: boolean }): void;
  forget(): void;
}

/** Storage may be forbidden or full; then a reload begins anew. */
export const memoryOf = (agentKey: string): Memory => ({
  read: () => {
    try {
      return (JSON.parse(sessionStorage.getItem(nameOf(agentKey)) ?? 'null') as Remembered | null) ?? undefined;
    } catch {
      return undefined;
    }
  },
  write: ({ sessionId, entries, mode }, { language, isOpen }) => {
    if (sessionId === undefined) return;
    const kept = entries.slice(-mostEntries).map((entry) => ({ ...entry, text: entry.text.slice(0, longestText) }));
    const remembered: Remembered = { sessionId, language, entries: kept, isOpen, wasSpoken: mode === 'voice' };
    try {
      sessionStorage.setItem(nameOf(agentKey), JSON.stringify(remembered));
    } catch {
      return;
    }
  },
  forget: () => {
    try {
      sessionStorage.removeItem(nameOf(agentKey));
    } catch {
      return;
    }
  },
});

/** As many texts as an agent that dies may have on its way. */
const keptForResending = 10;

/** What was written last: it goes out again under its ids, by which the service knows what it has heard. */
export const lastTexts = (entries: readonly Entry[]): Outgoing[] =>
  entries
    .filter((entry) => entry.from === 'person' && !entry.spoken && entry.delivery !== 'failed')
    .slice(-keptForResending)
    .map(({ id, text }) => ({ id, text }));
