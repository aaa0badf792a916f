import { problems } from '../../contract/problems.ts';
import type { Database, Tx } from '../../store/database.ts';
import { findRequest, forgetOldRequests, keepAnswer, takeRequest } from '../../store/tables/account-requests.ts';
import type { Vault } from '../credentials/vault.ts';
import type { Acting } from './acting.ts';

export interface OnceDeps {
  /** As whichever role makes it. */
  db: Database;
  vault: Vault;
}

/**
 * Makes something in a transaction of the tenant, once for an Idempotency-Key: a repetition gets the first answer, which was kept in the
 * same transaction, and makes nothing. Of two at once the second waits for the first. Without `request` it is made each time.
 * @param make gives an answer that JSON can hold
 * @throws Problem `idempotency_key_reused`
 */
export function once<Answer extends object>(
  { db, vault }: OnceDeps,
  { tenant, request }: Pick<Acting, 'tenant' | 'request'>,
  make: (tx: Tx) => Promise<Answer>,
): Promise<{ answer: Answer; isRepeated: boolean }> {
  return db.asTenant(tenant, async (tx) => {
    if (!request) return { answer: await make(tx), isRepeated: false };
    await forgetOldRequests(tx);
    const sealedFor = { tenant, accountRequest: request.scopeHash.toString('base64url') };
    if (!(await takeRequest(tx, tenant, request))) {
      const earlier = await findRequest(tx, request.scopeHash);
      if (!earlier.body_hash.equals(request.bodyHash)) throw problems.idempotencyKeyReused();
      return { answer: JSON.parse(vault.open(earlier.answer, sealedFor)) as Answer, isRepeated: true };
    }
    const answer = await make(tx);
    await keepAnswer(tx, request.scopeHash, vault.seal(JSON.stringify(answer), sealedFor));
    return { answer, isRepeated: false };
  });
}
