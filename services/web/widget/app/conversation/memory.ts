import type { Outgoing } from '../../../client/outbox.ts';
import { ofTab, storedJson } from '../../../client/stored.ts';
import type { Entry } from '../../../client/transcript.ts';
import { sessionName } from '../../session-name.ts';
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

export interface Memory {
  read(): Remembered | undefined;
  write(state: State, more: { language: string; isOpen: boolean }): void;
  forget(): void;
}

export function memoryOf(agentKey: string): Memory {
  const stored = storedJson(ofTab, sessionName(agentKey));
  return {
    read: () => stored.read() as Remembered | undefined,
    write: ({ sessionId, entries, mode }, { language, isOpen }) => {
      if (sessionId === undefined) return;
      const kept = entries.slice(-mostEntries).map((entry) => ({ ...entry, text: entry.text.slice(0, longestText) }));
      stored.write({ sessionId, language, entries: kept, isOpen, wasSpoken: mode === 'voice' } satisfies Remembered);
    },
    forget: stored.forget,
  };
}

/** As many texts as an agent that dies may have on its way. */
const keptForResending = 10;

/** What was written last: it goes out again under its ids, by which the service knows what it has heard. */
export const lastTexts = (entries: readonly Entry[]): Outgoing[] =>
  entries
    .filter((entry) => entry.from === 'person' && !entry.spoken && entry.delivery !== 'failed')
    .slice(-keptForResending)
    .map(({ id, text }) => ({ id, text }));
