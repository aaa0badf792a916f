import { changedBy, mark, type Part } from '../../changes/part.ts';
import { renewed } from '../../changes/secret-basis.ts';
import { type PartFolders, workloadParts } from '../../changes/workloads.ts';
import type { TenantPlan } from '../../plan/tenant-plan.ts';

/** All of a tenant is in its cluster. */
export const partsOf = (plan: TenantPlan, folders: PartFolders): Part[] => [
  ...databaseOf(plan),
  ...cacheOf(plan),
  ...workloadParts(plan, folders),
  doorsOf(plan),
];

function databaseOf({ tenant, database }: TenantPlan): Part[] {
  if (database.kind === 'existing') return [];
  const byOperator = database.kind === 'cloudnativepg';
  const way = !byOperator ? 'restarts' : database.instances > 1 ? 'fails over' : 'restarts';
  const made = { image: tenant.images.database, connections: database.maxConnections, size: database.resources };
  return [
    {
      name: 'database',
      what: 'the database',
      ...(byOperator && { replicas: database.instances }),
      load: { kind: 'data' },
      from: {
        ...changedBy(way, made),
        // Another claim would be an empty volume, so the server keeps the one that it has.
        volume: { value: mark(database.storageGib), way: byOperator ? 'in place' : 'by hand' },
      },
    },
  ];
}

const cacheOf = ({ tenant, cache }: TenantPlan): Part[] =>
  cache === undefined
    ? []
    : [
        {
          name: 'cache',
          what: 'the cache',
          load: { kind: 'notes' },
          from: changedBy('restarts', { image: tenant.images.cache, ...renewed(tenant.rotation.cachePassword) }),
        },
      ];

/** A controller takes another certificate without being started anew. */
function doorsOf({ tenant }: TenantPlan): Part {
  const { certificateIssuer, certificateSecret, ingressClass } = tenant.kubernetes;
  const from = { certificate: [certificateIssuer, certificateSecret], controller: ingressClass, name: tenant.domain };
  return { name: 'doors', what: 'the way in', load: { kind: 'nothing' }, from: changedBy('in place', from) };
}
