import type { Me } from '../../contract/account-answers.ts';
import { problems } from '../../contract/problems.ts';
import { capabilities } from '../../core/insight/capabilities.ts';
import type { Database } from '../../store/database.ts';
import { listMyTenants } from '../../store/tables/memberships.ts';
import { findPerson } from '../../store/tables/persons.ts';
import { findTenant } from '../../store/tables/tenants.ts';
import { withETag } from '../http/etag.ts';
import { personOf, tenantOf } from '../http/person-access.ts';
import type { Handlers } from './handlers.ts';

interface MeDeps {
  people: Database;
  db: Database;
}

export const meRoutes = ({
  people,
  db,
}: MeDeps): Handlers<'GET /api/me' | 'GET /api/capabilities' | 'GET /api/tenants/:tenant'> => ({
  'GET /api/me': [
    async (req, res) => {
      const found = await findPerson(people, personOf(req).person);
      if (!found) throw problems.invalidToken();
      const { id, email, name } = found;
      const tenants = await listMyTenants(people, id);
      const me: Me = {
        person: { id, email, name },
        tenants: tenants.map(({ tenant_id, slug, name, role }) => ({ id: tenant_id, slug, name, role })),
      };
      res.json(me);
    },
  ],
  'GET /api/capabilities': [(_req, res) => void res.json(capabilities)],
  'GET /api/tenants/:tenant': [
    async (req, res) => {
      const { tenant, role } = tenantOf(req);
      const found = await db.asTenant(tenant, (tx) => findTenant(tx, tenant));
      if (!found) throw problems.tenantNotFound(tenant);
      const { id, slug, name, features, caps } = found;
      withETag(req, res, { id, slug, name, features, caps, role });
    },
  ],
});
