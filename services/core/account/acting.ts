import type { AuditAction } from '../../contract/audit-actions.ts';
import type { Role } from '../../contract/roles.ts';
import type { Tx } from '../../store/database.ts';
import type { AccountRequest } from '../../store/tables/account-requests.ts';
import { insertAudit } from '../../store/tables/audit.ts';

/** Who acts, and where: a member of the tenant, by the account API. */
export interface Acting {
  tenant: string;
  role: Role;
  /** Their id. */
  person: string;
  /** As X-Request-Id names it: the audit log leads to the line in ours. */
  requestId: string;
  /** Under which Idempotency-Key; absent where it has none. */
  request?: AccountRequest;
}

/** What was done. `details` holds neither secrets nor what anybody said. */
export interface Deed {
  action: AuditAction;
  /** What it was done to: the name of an agent, or the id of anything else. */
  target: string;
  details?: Record<string, unknown>;
}

/** Writes the row of the audit log, in the transaction that does it. */
export const audited = (tx: Tx, { person, requestId }: Pick<Acting, 'person' | 'requestId'>, deed: Deed) =>
  insertAudit(tx, tx.tenant, {
    person_id: person,
    request_id: requestId,
    action: deed.action,
    target: deed.target,
    details: deed.details ?? {},
  });
