import { randomUUID } from 'node:crypto';
import { sql } from '../../../services/store/sql.ts';
import { insertDelivery } from '../../../services/store/tables/deliveries.ts';
import type { World } from '../../support/world/world.ts';

/** A way to a carrier, as somebody has added it. */
export async function makeTrunk({ admin, tenant }: World, name: string): Promise<string> {
  const id = randomUUID();
  await admin.query(sql`
    insert into trunks (tenant_id, id, name, address, transport, allowed_addresses, managed_by)
    values (${tenant}, ${id}, ${name}, 'sip.example.com', 'tls', '{203.0.113.7}', 'person')`);
  return id;
}

export async function makeNumber({ admin, tenant }: World, { number, trunk }: { number: string; trunk: string }) {
  await admin.query(sql`
    insert into numbers (tenant_id, number, trunk_id, agent, managed_by) values (${tenant}, ${number}, ${trunk}, 'echo', 'person')`);
}

/** A delivery that nobody has attempted. */
export async function makeDelivery({ admin, tenant }: World): Promise<string> {
  const id = randomUUID();
  const body = JSON.stringify({ type: 'conversation.test', data: { agent: 'echo' } });
  const row = { id, agent: 'echo', session_id: null, event: 'conversation.test' as const };
  await admin.asTenant(tenant, (tx) => insertDelivery(tx, tenant, { ...row, url: 'https://example.com', body }));
  return id;
}
