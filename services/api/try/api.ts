import { Router } from 'express';
import { speechNeeds } from '../../agent-files/definition/speech-needs.ts';
import { problems } from '../../contract/problems.ts';
import { listShownRevisions } from '../../core/agents/list-revisions.ts';
import { type LiveAgent, loadLiveAgent } from '../../core/agents/live-agent.ts';
import { revealCredentials } from '../../core/credentials/credentials.ts';
import type { Vault } from '../../core/credentials/vault.ts';
import { canBeSpoken, type HostsSpeech } from '../../core/hosts/speech.ts';
import type { Database } from '../../store/database.ts';
import { listAgents } from '../../store/tables/agents.ts';
import { listEvents } from '../../store/tables/events.ts';
import { listHostSpeech } from '../../store/tables/hosts.ts';
import { listMessages } from '../../store/tables/messages.ts';
import { listPresence } from '../../store/tables/presence.ts';
import { findSession, locateSession } from '../../store/tables/sessions.ts';
import { locateTenant } from '../../store/tables/tenants.ts';
import { listToolCalls } from '../../store/tables/tool-calls.ts';
import { sessionIdFrom } from '../http/public-ids.ts';
import { type StoredSession, toDetails } from './details.ts';

export interface TryDeps {
  db: Database;
  vault: Vault;
  /** Slug of the tenant whose agents are offered. */
  tenant: string;
}

/** What the try-it page reads beside the public interface. */
export function tryApi(deps: TryDeps): Router {
  const router = Router();
  router.get('/agents', async (_req, res) => void res.json(await offeredAgents(deps)));
  router.get('/refusal', async (_req, res) => void res.json(await refusal(deps)));
  router.get('/sessions/:sessionId', async (req, res) => {
    const stored = await readEverything(deps.db, sessionIdFrom(req.params.sessionId));
    if (!stored) throw problems.sessionNotFound();
    res.json(toDetails(stored));
  });
  return router;
}

async function offeredAgents({ db, vault, tenant: slug }: TryDeps) {
  const tenant = await locateTenant(db, slug);
  if (!tenant) return [];
  const rows = await db.asTenant(tenant, listAgents);
  const hosts = await listHostSpeech(db);
  const open = rows.filter((row) => !row.deleted_at && !row.disabled_at);
  return Promise.all(
    open.map(async ({ agent }) => {
      const { apiKey } = await revealCredentials({ db, vault }, { tenant, agent });
      const live = await loadLiveAgent(db, tenant, agent);
      const languages = live ? languagesOf(live, hosts) : [];
      return { agent, name: live?.definition.name ?? agent, apiKey, languages };
    }),
  );
}

const languagesOf = ({ definition, settings }: LiveAgent, hosts: HostsSpeech) =>
  definition.languages.map(({ code, name }) => ({
    code,
    name,
    speaks: settings.sessions.microphone && canBeSpoken(speechNeeds(definition, code), hosts),
  }));

/** Why the agents' files as they are now are not live; null when they are. */
async function refusal({ db, tenant: slug }: TryDeps) {
  const tenant = await locateTenant(db, slug);
  if (!tenant) return null;
  const [newest] = (await listShownRevisions(db, tenant, { limit: 1 })).items;
  return newest?.state === 'refused' ? { reasons: newest.reasons, reasonsLeftOut: newest.reasonsLeftOut } : null;
}

async function readEverything(db: Database, id: string): Promise<StoredSession | undefined> {
  const tenant = await locateSession(db, id);
  if (!tenant) return undefined;
  return db.asTenant(tenant, async (tx) => {
    const session = await findSession(tx, id);
    if (!session) return undefined;
    return {
      session,
      messages: await listMessages(tx, id),
      toolCalls: await listToolCalls(tx, id),
      presence: await listPresence(tx, id),
      events: await listEvents(tx, id),
    };
  });
}
