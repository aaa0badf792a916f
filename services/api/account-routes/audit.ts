import { type AuditAction, auditActions } from '../../contract/audit-actions.ts';
import { auditLog } from '../../core/insight/audit-log.ts';
import type { Database } from '../../store/database.ts';
import { tenantOf } from '../http/person-access.ts';
import type { Handlers } from './handlers.ts';
import { listQuery } from './list-query.ts';

export interface AuditRouteDeps {
  db: Database;
  people: Database;
}

const filters = ['person', 'action', 'target', 'from', 'to'] as const;
const actions = Object.keys(auditActions) as AuditAction[];

export const auditRoutes = (deps: AuditRouteDeps): Handlers<'GET /api/tenants/:tenant/audit'> => ({
  'GET /api/tenants/:tenant/audit': [
    async (req, res) => {
      const asked = listQuery(req.query, filters);
      const by = {
        ...{ person: asked.uuid('person'), action: asked.choice('action', actions), target: asked.text('target') },
        ...{ from: asked.time('from'), to: asked.time('to'), before: asked.number(), limit: asked.limit },
      };
      res.json(await auditLog(deps, tenantOf(req).tenant, by));
    },
  ],
});
