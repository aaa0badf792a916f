import type { Evidence } from '../evidence.ts';

/** What must never be. */
export interface Judge {
  name: string;
  /** What is against it, each in a sentence; nothing when all is well. */
  judge(evidence: Evidence): string[];
}

export const short = (session: string): string => session.slice(-6);
