import type { Database } from '../../store/database.ts';
import { findAgent, locateAgents } from '../../store/tables/agents.ts';

/** Of more than that the latest are looked at. */
const mostAgents = 1_000;

/** The agents of all tenants, one after the other: for what a process looks at once, while it serves. */
export async function* everyLiveAgent(db: Database) {
  for (const { tenant_id, agent } of await locateAgents(db, mostAgents)) {
    const live = await db.asTenant(tenant_id, (tx) => findAgent(tx, agent));
    if (live) yield live;
  }
}
