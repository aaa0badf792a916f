import { problems } from '../../contract/problems.ts';
import type { Tx } from '../../store/database.ts';
import { findVersion } from '../../store/tables/agents.ts';
import { listHostMessages } from '../../store/tables/messages.ts';
import { findSession } from '../../store/tables/sessions.ts';
import { listToolCalls } from '../../store/tables/tool-calls.ts';
import { type Draft, draftFrom } from './from-conversation.ts';
import { redact } from './redact.ts';

export interface DraftedScenario {
  agent: string;
  /** Of the version that held the conversation. */
  versionHash: string;
  draft: Draft;
}

/**
 * A stored conversation as a scenario of its agent. `isMasked` takes out what can be recognised as an address or a number of somebody's.
 * @throws Problem `session_not_found`, `session_live`, `nothing_said`
 */
export async function scenarioOf(
  tx: Tx,
  id: string,
  { name, isMasked }: { name: string | undefined; isMasked: boolean },
): Promise<DraftedScenario> {
  const session = await findSession(tx, id);
  if (!session) throw problems.sessionOfTenantNotFound();
  if (session.status !== 'ended') throw problems.sessionLive();
  const version = await findVersion(tx, session.agent, session.version_hash);
  if (!version) throw new Error('a session has no version');
  const [messages, toolCalls] = [await listHostMessages(tx, id), await listToolCalls(tx, id)];
  const draft = draftFrom({ session, messages, toolCalls, definition: version.definition }, name);
  if (!draft) throw problems.nothingSaid();
  return { agent: session.agent, versionHash: version.hash, draft: isMasked ? masked(draft) : draft };
}

/** The name is the author's own. */
function masked(draft: Draft): Draft {
  const redacted = redact(draft);
  return { ...redacted, scenario: { ...redacted.scenario, name: draft.scenario.name } };
}
