import type { OfferedAgent } from '../../contract/answers.ts';
import type { Database } from '../../store/database.ts';
import { listAgents } from '../../store/tables/agents.ts';
import { listHostSpeech } from '../../store/tables/hosts.ts';
import { type LiveAgent, loadLiveAgent } from '../agents/live-agent.ts';
import { revealCredentials } from '../credentials/credentials.ts';
import type { Vault } from '../credentials/vault.ts';
import { type HostsSpeech, speaks } from '../hosts/speech.ts';

/** The open agents of a tenant, each with the key that a page on this machine may use. */
export async function listOfferedAgents(
  { db, vault }: { db: Database; vault: Vault },
  tenant: string,
): Promise<OfferedAgent[]> {
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

const languagesOf = (live: LiveAgent, hosts: HostsSpeech) =>
  live.definition.languages.map(({ code, name }) => ({
    code,
    name,
    speaks: speaks(live, code, hosts),
  }));
