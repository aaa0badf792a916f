import type { TenantPlan } from '../plan.ts';

/** A volume as large as the database may grow. */
export const claimOf = ({ database: { storageGib }, tenant }: TenantPlan) => ({
  accessModes: ['ReadWriteOnce'],
  ...(tenant.kubernetes.storageClass === undefined ? {} : { storageClassName: tenant.kubernetes.storageClass }),
  resources: { requests: { storage: `${storageGib}Gi` } },
});
