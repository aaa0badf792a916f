import { randomBytes } from 'node:crypto';
import { makeVault } from '../../../services/core/credentials/vault.ts';
import { newCallId } from '../../../services/core/telephony/ids.ts';
import type { Database } from '../../../services/store/database.ts';
import { insertCall } from '../../../services/store/tables/calls.ts';
import { masterKeys } from '../world/master-keys.ts';

interface Called {
  from: string;
  to: string;
  trunk: string | null;
}

/** A call to somebody that no worker has made yet, by the agent `echo`; gives its id. */
export async function storeCall(
  { db, tenant }: { db: Database; tenant: string },
  { from, to, trunk }: Called,
): Promise<string> {
  const id = newCallId();
  const seal = (side: 'from' | 'to', text: string) => makeVault(masterKeys).seal(text, { tenant, call: id, side });
  await db.asTenant(tenant, (tx) =>
    insertCall(tx, tenant, {
      ...{ id, direction: 'outbound', state: 'queued', room_name: `r_${id}`, sip_call_id: null, trunk_id: trunk },
      ...{ number: from, agent: 'echo', language: null, variables: {}, consent: null, prefix: '+49' },
      ...{ from_sealed: seal('from', from), to_sealed: seal('to', to) },
      ...{ other_hash: randomBytes(32), max_seconds: 60, retentionMs: 86_400_000 },
    }),
  );
  return id;
}
