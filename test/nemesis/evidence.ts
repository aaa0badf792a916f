import type { HostRole } from './faults.ts';
import type { Entry } from './history.ts';
import type { Schedule } from './schedule.ts';

/** All that the judges judge by: what was done and seen, and what PostgreSQL holds at the end. Times are of the history. */
export interface Evidence {
  schedule: Schedule;
  entries: readonly Entry[];
  /** When all had been healed and everybody had gone. */
  sessions: readonly SessionStored[];
  lines: readonly LineStored[];
  /** Sessions in which PostgreSQL knew of nobody, when all had been healed and somebody was there. */
  takenForGone: readonly string[];
  /** Stays of people that were closed, once for each time. */
  departures: readonly { session: string; atMs: number; by: string }[];
  /** Hosts that somebody declared dead while their process was there. */
  deaths: readonly { role: HostRole; atMs: number }[];
  /** Labels, one for each run. */
  toolRuns: readonly string[];
  /** Of the whole world so far: what the ledger counts, and the sum over its sessions. */
  ledgerSeconds: number;
  billedSeconds: number;
}

export interface SessionStored {
  id: string;
  status: string;
  endReason: string | null;
  /** When its end was written down; undefined while it goes on. */
  endWrittenMs: number | undefined;
  billedSeconds: number;
}

export interface LineStored {
  session: string;
  sequence: number;
  role: 'USER' | 'ASSISTANT';
  content: string;
  turn: number;
  isAnswered: boolean;
  /** When it was written or said. */
  atMs: number;
}

/** A guard for `entries.filter`. */
export const isKind =
  <Kind extends Entry['kind']>(kind: Kind) =>
  (entry: Entry): entry is Extract<Entry, { kind: Kind }> =>
    entry.kind === kind;

/** The moment of the session's only entry of a kind; undefined if there is none. */
export const momentOf = ({ entries }: Evidence, session: string, kind: 'joined' | 'left' | 'vanished' | 'was ended') =>
  entries.find((entry) => entry.kind === kind && 'session' in entry && entry.session === session)?.atMs;
