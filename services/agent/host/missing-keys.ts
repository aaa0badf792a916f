import type { Logger } from 'pino';
import { missingKeys } from '../../agent-files/definition/provider-keys.ts';
import type { Variables } from '../../process/variables.ts';
import type { Database } from '../../store/database.ts';
import { findAgent, locateAgents } from '../../store/tables/agents.ts';

/** Of more than that the latest are looked at. */
const mostAgents = 1_000;

/** Tells, before anybody calls, which keys the live agents name that this process has not been given. */
export async function tellMissingKeys(db: Database, env: Variables, logger: Logger): Promise<void> {
  for (const { tenant_id, agent } of await locateAgents(db, mostAgents)) {
    const live = await db.asTenant(tenant_id, (tx) => findAgent(tx, agent));
    const missing = live ? missingKeys(live.definition, env) : [];
    if (missing.length > 0) logger.warn({ agent, missing }, 'a live agent needs keys that are not set here');
  }
}
