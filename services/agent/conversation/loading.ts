import type { CompiledAgent } from '../../agent-files/definition/compiled.ts';
import { remember } from '../../process/remember.ts';
import type { Database, Tx } from '../../store/database.ts';
import { findVersion } from '../../store/tables/agents.ts';
import { findCallOfSession } from '../../store/tables/calls.ts';
import type { Lease } from '../../store/tables/hosts.ts';
import { listHostMessages } from '../../store/tables/messages.ts';
import { findSession, type SessionRow } from '../../store/tables/sessions.ts';
import { listToolCalls } from '../../store/tables/tool-calls.ts';
import type { StoredConversation } from './history.ts';

export interface Loaded extends StoredConversation {
  session: SessionRow;
  /** The version that the session began with. */
  definition: CompiledAgent;
  /** What is known of the call that it is held on; undefined where there is none. */
  callVariables?: Readonly<Record<string, string>> | undefined;
  /** Whether the agent has called the person. */
  isCalling?: boolean;
}

export interface Versions {
  find(tx: Tx, agent: string, hash: string): Promise<CompiledAgent | undefined>;
}

const maxVersions = 200;

/** Versions never change, so all sessions of one share one copy: an agent's knowledge may be larger than all else a session needs. */
export function makeVersions(): Versions {
  const known = new Map<string, CompiledAgent>();
  return {
    find: async (tx, agent, hash) => {
      const key = `${tx.tenant} ${agent} ${hash}`;
      const definition = known.get(key) ?? (await findVersion(tx, agent, hash))?.definition;
      if (!definition) return undefined;
      // The one used last is the last to go.
      remember(known, key, definition, maxVersions);
      return definition;
    },
  };
}

/** Everything a host needs to begin or to go on with a conversation; undefined when it is not this host's any more. */
export async function loadConversation(db: Database, versions: Versions, lease: Lease): Promise<Loaded | undefined> {
  return db.asTenant(lease.tenant_id, async (tx) => {
    const session = await findSession(tx, lease.session_id);
    if (!session || session.status === 'ended' || session.epoch !== lease.epoch) return undefined;
    const definition = await versions.find(tx, session.agent, session.version_hash);
    if (!definition) return undefined;
    const call = session.channel === 'phone' ? await findCallOfSession(tx, session.id) : undefined;
    return {
      session,
      definition,
      callVariables: call?.variables,
      isCalling: call?.direction === 'outbound',
      messages: await listHostMessages(tx, session.id),
      toolCalls: await listToolCalls(tx, session.id),
    };
  });
}
