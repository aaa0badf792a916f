import { problems } from '../../contract/problems.ts';
import type { Clock } from '../../process/clock.ts';
import { soon } from '../../process/soon.ts';
import type { Database, Tx } from '../../store/database.ts';
import { findAgent, type LiveAgentRow } from '../../store/tables/agents.ts';
import { findDelivery, insertDelivery } from '../../store/tables/deliveries.ts';
import { type Acting, audited } from '../account/acting.ts';
import { type ShownDelivery, showDelivery } from '../insight/deliveries.ts';
import { newUuid } from '../sessions/ids.ts';
import { testEvent } from './payload.ts';
import { putOnList } from './queue.ts';
import { findWebhookTarget, whyNotSent } from './webhook-target.ts';

interface TestDeps {
  db: Database;
  clock: Clock;
}

/** A person waits in front of it: one request takes 15 s at most. */
const waitMs = 20_000;
const lookEveryMs = 150;

/**
 * Has `conversation.test` sent to an agent's webhook, as its conversations are: by the worker, which alone knows secret addresses and may
 * reach receivers. Gives the delivery as it is after 20 s at most; it is pending where the worker or the receiver takes longer.
 * @throws Problem `agent_not_found`, `not_configured`
 */
export async function askForTest(deps: TestDeps, acting: Acting, agent: string): Promise<ShownDelivery> {
  const { db, clock } = deps;
  const { tenant } = acting;
  const id = await db.asTenant(tenant, async (tx) => {
    const row = await findAgent(tx, agent);
    if (!row) throw problems.agentNotFound(agent);
    return putTest(tx, { acting, row, at: clock.now() });
  });
  await soon(() => settled(db, tenant, id), { withinMs: waitMs, everyMs: lookEveryMs });
  return showDelivery(db, { tenant, delivery: id });
}

async function putTest(tx: Tx, { acting, row, at }: { acting: Acting; row: LiveAgentRow; at: Date }): Promise<string> {
  const { agent, version_hash: version, definition } = row;
  const target = await findWebhookTarget(tx, agent, { declared: {} });
  if (target.state !== 'on') throw problems.notConfigured(whyNotSent(agent, target.state));
  const id = newUuid();
  const body = JSON.stringify(testEvent({ agent, version, language: definition.defaultLanguage }, at));
  await insertDelivery(tx, tx.tenant, {
    ...{ id, agent, body, session_id: null, event: 'conversation.test', url: target.named },
  });
  await putOnList(tx, { tenant_id: tx.tenant, agent });
  await audited(tx, acting, { action: 'webhook.tested', target: agent, details: { delivery: id } });
  return id;
}

async function settled(db: Database, tenant: string, id: string): Promise<true | undefined> {
  const row = await db.asTenant(tenant, (tx) => findDelivery(tx, id));
  return row?.status === 'pending' ? undefined : true;
}
