import type { SpeechNeeds } from '../../agent-files/definition/speech-needs.ts';
import { bestEffort } from '../../process/best-effort.ts';
import type { Database } from '../../store/database.ts';
import type { Lease } from '../../store/tables/hosts.ts';
import {
  type Draft,
  keepDoubt,
  listHostMessages,
  type MessageRow,
  type Position,
} from '../../store/tables/messages.ts';
import { detachHost, findSession, markUnattended, setLanguage, takeSpokenPlace } from '../../store/tables/sessions.ts';
import type { Standing } from './state/fact.ts';

/** What a host reads and writes of a session's own row, under its lease. */
export interface SessionRecord {
  messages(): Promise<MessageRow[]>;
  /** Whose the session is now. */
  standing(): Promise<Standing>;
  /** False as well when the database is away: then nobody knows. */
  hasEnded(): Promise<boolean>;
  /** Another host has the session and hears, or it has ended. False as well when the database is away. */
  isOthers(): Promise<boolean>;
  /** The agent is not in the room. Best effort: the reaper finds out by itself. */
  unattended(): Promise<void>;
  /** This host has handed everything in. Best effort: finishing waits a few seconds for it. */
  detach(): Promise<void>;
  /** These words may not have arrived, or with null they have. Best effort: a person who has them all the same sees them in their place. */
  keepDoubt(position: Position, draft: Draft | null): Promise<void>;
  setLanguage(language: string, needs: SpeechNeeds): Promise<void>;
  /**
   * The person speaks from now on, and a host that takes over must be able to; false where this host is not, or has no room for it:
   * then the session is written, also one that was spoken.
   */
  becomeSpoken(needs: SpeechNeeds): Promise<boolean>;
}

export function openSessionRecord(
  db: Database,
  { session_id: session, tenant_id: tenant, epoch }: Lease,
): SessionRecord {
  const read = () =>
    bestEffort(
      'with the database away nobody knows',
      db.asTenant(tenant, (tx) => findSession(tx, session)),
    );
  return {
    messages: () => db.asTenant(tenant, (tx) => listHostMessages(tx, session)),
    standing: async () => {
      const row = await db.asTenant(tenant, (tx) => findSession(tx, session)).catch(() => 'unknown' as const);
      if (row === 'unknown') return 'unknown';
      if (!row || row.status === 'ended') return 'ended';
      return row.epoch === epoch && row.host_id !== null ? 'ours' : 'others';
    },
    hasEnded: async () => (await read())?.status === 'ended',
    isOthers: async () => {
      const row = await read();
      return row !== undefined && (row.status === 'ended' || (row.epoch > epoch && row.unattended_since === null));
    },
    unattended: async () =>
      void (await bestEffort(
        'the reaper finds out by itself',
        db.asTenant(tenant, (tx) => markUnattended(tx, { session, epoch })),
      )),
    detach: async () =>
      void (await bestEffort(
        'finishing waits a few seconds for it',
        db.asTenant(tenant, (tx) => detachHost(tx, { session, epoch })),
      )),
    keepDoubt: async (position, draft) =>
      void (await bestEffort(
        'a successor takes it for said',
        db.asTenant(tenant, (tx) => keepDoubt(tx, { session, epoch }, position, draft)),
      )),
    setLanguage: async (language, needs) =>
      void (await db.asTenant(tenant, (tx) => setLanguage(tx, { session, epoch, language, needs }))),
    becomeSpoken: (needs) => takeSpokenPlace(db, { tenant, session, epoch, needs }),
  };
}
