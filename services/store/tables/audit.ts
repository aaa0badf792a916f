import type { AuditAction } from '../../contract/audit-actions.ts';
import { type Queryable, sql } from '../sql.ts';

export interface AuditRow {
  id: number;
  at: Date;
  /** Null: nobody who has signed in. */
  person_id: string | null;
  action: AuditAction;
  target: string;
  details: Record<string, unknown>;
  request_id: string | null;
}

export const insertAudit = (q: Queryable, tenant: string, r: Omit<AuditRow, 'id' | 'at'>) =>
  q.query(sql`
    insert into audit (tenant_id, person_id, action, target, details, request_id)
    values (${tenant}, ${r.person_id}, ${r.action}, ${r.target}, ${JSON.stringify(r.details)}, ${r.request_id})`);

export interface AuditQuery {
  person?: string | undefined;
  action?: string | undefined;
  target?: string | undefined;
  from?: string | undefined;
  to?: string | undefined;
  /** The last row of the page before. */
  before?: number | undefined;
  limit: number;
}

/** Rows of the transaction's tenant, the newest first. */
export const listAudit = (q: Queryable, tenant: string, by: AuditQuery) =>
  q.query<AuditRow>(sql`
    select id, at, person_id, action, target, details, request_id from audit
    where tenant_id = ${tenant}
      and (${by.person ?? null}::uuid is null or person_id = ${by.person ?? null})
      and (${by.action ?? null}::text is null or action = ${by.action ?? null})
      and (${by.target ?? null}::text is null or target = ${by.target ?? null})
      and at >= coalesce(${by.from ?? null}::timestamptz, '-infinity')
      and at < coalesce(${by.to ?? null}::timestamptz, 'infinity')
      and (${by.before ?? null}::bigint is null or id < ${by.before ?? null})
    order by id desc limit ${by.limit}`);
