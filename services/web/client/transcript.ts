/** What was said in a conversation, as a page shows it, and how each fact changes it. Pure. */
export type Entry = PersonEntry | AgentEntry;

export interface PersonEntry {
  id: string;
  from: 'person';
  text: string;
  delivery: 'waiting' | 'sent' | 'failed';
  /** It was said, and these are the words that were recognised. */
  spoken?: boolean;
}

export interface AgentEntry {
  id: string;
  from: 'agent';
  text: string;
  progress: 'streaming' | 'whole' | 'cut';
}

export type TranscriptFact =
  | { kind: 'said'; id: string; text: string }
  | { kind: 'delivery'; id: string; delivery: PersonEntry['delivery'] }
  | { kind: 'replyBegan'; id: string }
  | { kind: 'replyGrew'; id: string; chunk: string }
  | { kind: 'replyEnded'; id: string; whole: boolean }
  | { kind: 'heard'; id: string; text: string };

export function learnSaid(entries: readonly Entry[], fact: TranscriptFact): Entry[] {
  switch (fact.kind) {
    case 'said':
      return [...entries, { id: fact.id, from: 'person', text: fact.text, delivery: 'waiting' }];
    case 'delivery':
      return replace(entries, fact.id, (entry) =>
        entry.from === 'person' ? { ...entry, delivery: fact.delivery } : entry,
      );
    case 'replyBegan':
      return replyBegan(entries, fact.id);
    case 'replyGrew':
      return replace(entries, fact.id, (entry) => ({ ...entry, text: entry.text + fact.chunk }));
    case 'replyEnded':
      return replyEnded(entries, fact);
    case 'heard':
      return heard(entries, fact);
    default:
      return fact satisfies never;
  }
}

/**
 * The agent speaks one reply at a time: whatever is still open belongs to an agent that is gone. One that is said again, because it may
 * not have arrived, stays where it stood.
 */
function replyBegan(entries: readonly Entry[], id: string): Entry[] {
  const begun: Entry = { id, from: 'agent', text: '', progress: 'streaming' };
  const before = entries.map((entry) => (entry.id === id ? begun : cutOff(entry)));
  return before.includes(begun) ? before : [...before, begun];
}

function replyEnded(entries: readonly Entry[], { id, whole }: { id: string; whole: boolean }): Entry[] {
  const silent = entries.some((entry) => entry.id === id && entry.text === '');
  if (silent) return entries.filter((entry) => entry.id !== id);
  return replace(entries, id, (entry) =>
    entry.from === 'agent' ? { ...entry, progress: whole ? 'whole' : 'cut' } : entry,
  );
}

/** What the person says is heard better and better until they have finished. */
function heard(entries: readonly Entry[], { id, text }: { id: string; text: string }): Entry[] {
  if (!text) return [...entries];
  if (entries.some((entry) => entry.id === id)) return replace(entries, id, (entry) => ({ ...entry, text }));
  return [...entries, { id, from: 'person', text, delivery: 'sent', spoken: true }];
}

/** Nothing more comes: what was being said is cut off, and what waits was never sent. */
export const closed = (entries: readonly Entry[]): Entry[] => entries.map(cutOff).map(neverSent);

/** Whether words of a reply are still coming. */
export const isBeingAnswered = (entries: readonly Entry[]): boolean =>
  entries.some((entry) => entry.from === 'agent' && entry.progress === 'streaming');

const cutOff = (entry: Entry): Entry =>
  entry.from === 'agent' && entry.progress === 'streaming' ? { ...entry, progress: 'cut' } : entry;

const neverSent = (entry: Entry): Entry =>
  entry.from === 'person' && entry.delivery === 'waiting' ? { ...entry, delivery: 'failed' } : entry;

const replace = (entries: readonly Entry[], id: string, change: (entry: Entry) => Entry): Entry[] =>
  entries.map((entry) => (entry.id === id ? change(entry) : entry));
