import type { Page } from '../../contract/account-answers.ts';
import { problems } from '../../contract/problems.ts';
import type { CallDirection, CallOfConversation, CallShown, CallState } from '../../contract/telephony.ts';
import type { Database } from '../../store/database.ts';
import { type CallRow, findCall, listCalls } from '../../store/tables/calls.ts';
import type { Vault } from '../credentials/vault.ts';
import { anonymous } from './leg.ts';

/** Both numbers of a call in the clear. */
export function numbersOf(
  vault: Pick<Vault, 'open'>,
  { tenant_id: tenant, id: call, from_sealed, to_sealed }: CallRow,
): { from: string; to: string } {
  return {
    from: vault.open(from_sealed, { tenant, call, side: 'from' }),
    to: vault.open(to_sealed, { tenant, call, side: 'to' }),
  };
}

export const toShownCall = (vault: Pick<Vault, 'open'>, row: CallRow): CallShown => ({
  id: row.id,
  direction: row.direction,
  ...numbersOf(vault, row),
  agent: row.agent,
  state: row.state,
  sessionId: row.session_id,
  refusedBecause: row.refused_because,
  sipCode: row.sip_code,
  askedAt: row.asked_at,
  answeredAt: row.answered_at,
  endedAt: row.ended_at,
  hangupBy: row.hung_up_by,
});

/** The call, with no more than the last two digits of whom it was with for somebody who may not see more. */
export function withNumbers(call: CallShown, areSeen: boolean): CallShown {
  if (areSeen) return call;
  const other = call.direction === 'inbound' ? 'from' : 'to';
  return { ...call, [other]: hidden(call[other]) };
}

/** A carrier names callers as it likes: with the digits of its own country, or by a name. */
const hidden = (who: string): string => (who === anonymous ? who : `…${/\d\d$/.exec(who)?.[0] ?? ''}`);

export const callOfConversation = (vault: Pick<Vault, 'open'>, row: CallRow): CallOfConversation => ({
  direction: row.direction,
  ...numbersOf(vault, row),
  answeredAt: row.answered_at?.toISOString() ?? null,
  hangupBy: row.hung_up_by,
  sipCode: row.sip_code,
});

/** @throws Problem `call_not_found` */
export async function showCall(
  { db, vault }: ShownDeps,
  { tenant, id, direction }: { tenant: string; id: string; direction: CallDirection },
): Promise<CallShown> {
  const row = await db.asTenant(tenant, (tx) => findCall(tx, id));
  if (row?.direction !== direction) throw problems.callNotFound();
  return toShownCall(vault, row);
}

interface ShownDeps {
  db: Database;
  vault: Pick<Vault, 'open' | 'hashesOfNumber'>;
}

export interface CallsAsked {
  direction: CallDirection;
  state: CallState | undefined;
  /** The other side's number. */
  with: string | undefined;
  /** `nextCursor` of the page before. */
  cursor: string | undefined;
  limit: number;
}

/** A page of calls, the newest first. */
export const callsOf = (
  { db, vault }: ShownDeps,
  tenant: string,
  { cursor, limit, with: number, ...filters }: CallsAsked,
): Promise<Page<CallShown>> =>
  db.asTenant(tenant, async (tx) => {
    const [position = '', id = ''] = cursor?.split('~') ?? [];
    const hashes = number === undefined ? undefined : vault.hashesOfNumber(number, tenant);
    const before = cursor === undefined ? undefined : { position, id };
    // One more than is shown tells whether there is a next page.
    const rows = await listCalls(tx, { ...filters, hashes, before, limit: limit + 1 });
    const shown = rows.slice(0, limit);
    const last = rows.length > limit ? shown.at(-1) : undefined;
    return {
      items: shown.map((row) => toShownCall(vault, row)),
      nextCursor: last ? `${last.position}~${last.id}` : null,
    };
  });
