import type { RevisionOutcome } from './activate.ts';

/** Something that agents come from, looked at again and again. */
export interface AgentsSource {
  /** Looks now instead of at the next poll. */
  nudge(): void;
  stop(): Promise<void>;
}

export type OnRevision = (outcome: RevisionOutcome, agents: number) => void;
