import type { RevisionOutcome } from './activate.ts';

/** Something that agents come from, looked at again and again. */
export interface AgentsSource {
  /** Looks now instead of at the next poll. */
  nudge(): void;
  /** As `nudge`, and judges what is there although it has been judged: something else than the source has changed. */
  judgeAgain(): void;
  stop(): Promise<void>;
}

export type OnRevision = (outcome: RevisionOutcome, agents: number) => void;
