import { sees } from '../../core/account/routes.ts';
import { serviceHealth } from '../../core/insight/service-health.ts';
import type { Clock } from '../../process/clock.ts';
import type { Database } from '../../store/database.ts';
import { readParts } from '../../store/tables/life.ts';
import { listReleases } from '../../store/tables/running-processes.ts';
import { locateTenant } from '../../store/tables/tenants.ts';
import { type HealthCheck, named } from '../health.ts';
import { tenantOf } from '../http/person-access.ts';
import type { Handlers } from './handlers.ts';

export interface ServiceHealthRouteDeps {
  db: Database;
  clock: Clock;
  health: HealthCheck;
  /** The slug of the deployment's own tenant. */
  ownTenant: string;
}

export const serviceHealthRoutes = ({
  db,
  clock,
  health,
  ownTenant,
}: ServiceHealthRouteDeps): Handlers<'GET /api/tenants/:tenant/health'> => ({
  'GET /api/tenants/:tenant/health': [
    async (req, res) => {
      const { tenant, role } = tenantOf(req);
      const missing = await health.missing();
      const isThere = !missing.includes(named.database);
      const isOperator = isThere && sees(role, 'machines') && (await locateTenant(db, ownTenant)) === tenant;
      const [parts, releases] = isThere
        ? await Promise.all([readParts(db), isOperator ? listReleases(db) : undefined])
        : [];
      const roomsAnswer = !missing.includes(named.rooms);
      res.json(
        serviceHealth({
          parts,
          isFull: health.isFull(),
          roomsAnswer,
          releases,
          withFigures: isOperator,
          now: clock.now(),
        }),
      );
    },
  ],
});
