import type { Me } from '../../contract/account-answers.ts';
import { problems } from '../../contract/problems.ts';
import type { Acting } from '../../core/account/acting.ts';
import { renameAs } from '../../core/account/rename-tenant.ts';
import { readCapabilities } from '../../core/insight/capabilities.ts';
import type { Rooms } from '../../core/rooms/rooms.ts';
import type { Database } from '../../store/database.ts';
import { listMyTenants } from '../../store/tables/memberships.ts';
import { findPerson } from '../../store/tables/persons.ts';
import { findTenant, type TenantRow } from '../../store/tables/tenants.ts';
import { etagOf, withETag } from '../http/etag.ts';
import { ifMatchOf } from '../http/if-match.ts';
import { rawBody, readBody } from '../http/json-body.ts';
import { personOf, tenantOf } from '../http/person-access.ts';
import type { AuthDeps } from './auth.ts';
import type { Handlers } from './handlers.ts';
import { takesPasswords } from './open-id-connect.ts';

export interface MeRouteDeps extends Pick<AuthDeps, 'openIdConnect' | 'post'> {
  people: Database;
  db: Database;
  rooms: Rooms;
  /** The slug of the deployment's own tenant. */
  ownTenant: string;
}

type MeRoutes = 'GET /api/me' | 'GET /api/capabilities' | `${'GET' | 'PATCH'} /api/tenants/:tenant`;

export const meRoutes = ({ people, db, rooms, ownTenant, openIdConnect, post }: MeRouteDeps): Handlers<MeRoutes> => ({
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
  'GET /api/capabilities': [
    async (_req, res) => {
      const deployment = {
        ...{ tenant: ownTenant, roomsUrl: rooms.publicUrl },
        ...{ openIdConnect: openIdConnect !== undefined, passwords: takesPasswords({ openIdConnect }) },
        mail: post !== undefined,
      };
      res.json(await readCapabilities(db, deployment));
    },
  ],
  'GET /api/tenants/:tenant': [
    async (req, res) => {
      const acting = tenantOf(req);
      const found = await db.asTenant(acting.tenant, (tx) => findTenant(tx, acting.tenant));
      if (!found) throw problems.tenantNotFound(acting.tenant);
      withETag(req, res, shownTenant(found, acting));
    },
  ],
  'PATCH /api/tenants/:tenant': [
    rawBody,
    async (req, res) => {
      const tag = ifMatchOf(req);
      const acting = tenantOf(req);
      const { name, ...others } = readBody(req, 'changeTenant');
      const [declared] = Object.keys(others);
      if (declared !== undefined) throw problems.managedByStack(declared);
      const isSame = (row: TenantRow) => etagOf(shownTenant(row, acting)) === tag;
      const row = await renameAs(db, acting, { name, isSame });
      withETag(req, res, shownTenant(row, acting));
    },
  ],
});

/** As it is shown to this person: `features` and `caps` are the stack's to change. */
const shownTenant = ({ id, slug, name, features, caps }: TenantRow, { role }: Acting) => ({
  ...{ id, slug, name, features, caps, role },
});
