/** What a host has accepted, said and learned while the database was away, as data: it may be written by another host, later. */
import type { InteractionMode, TurnTiming } from '../../contract/session.ts';
import { one, prepared, type Queryable } from '../sql.ts';
import { storable } from '../text.ts';
import type { StoredOutcome } from './tool-calls.ts';

interface Owing {
  tenant: string;
  session: string;
}

export interface OwedText extends Owing {
  kind: 'text';
  key: string;
  content: string;
  at: Date;
  mode: InteractionMode;
}

export interface OwedReply extends Owing {
  kind: 'reply';
  key: string;
  epoch: number;
  content: string;
  at: Date;
  mode: InteractionMode;
  /** The place of the text that it answers, 0 for a line that answers none; or that text's key, where its place was not known yet. */
  answers: number | string;
  interrupted: boolean;
  closesTurn: boolean;
  timing?: TurnTiming | undefined;
}

export interface OwedResult extends Owing, StoredOutcome {
  kind: 'result';
  call: string;
}

export type Owed = OwedText | OwedReply | OwedResult;

/**
 * Stores what is owed to one session, all or nothing, in its order; what is there already stays as it is. Gives how many entries are
 * new; null when the session has ended or is erased, and takes none any more.
 */
export const writeOwed = async (q: Queryable, { tenant, session }: Owing, owed: readonly Owed[]) =>
  (
    await one<{ entered: number | null }>(
      q,
      prepared('write-owed')`select write_owed(${JSON.stringify({
        ...{ tenant, session },
        entries: owed.map(asEntry),
      })}) as entered`,
    )
  ).entered;

function asEntry(owed: Owed): Record<string, unknown> {
  switch (owed.kind) {
    case 'text': {
      const { kind, at, mode } = owed;
      return { kind, at, mode, key: storable(owed.key), content: storable(owed.content) };
    }
    case 'reply': {
      const { kind, key, epoch, at, mode, answers, interrupted, closesTurn, timing } = owed;
      const asked = typeof answers === 'number' ? { turn: answers } : { answers: storable(answers) };
      const said = { content: storable(owed.content), interrupted, closes_turn: closesTurn, timing };
      return { kind, key, epoch, at, mode, ...asked, ...said };
    }
    case 'result':
      return { kind: owed.kind, call: owed.call, status: owed.status, result: storable(owed.result) };
    default:
      return owed satisfies never;
  }
}
