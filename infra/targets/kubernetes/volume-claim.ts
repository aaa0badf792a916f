import type { DatabasePlan } from '../../plan/database.ts';

/** A volume as large as the database may grow. @param storageClass undefined: the cluster's default */
export const claimOf = ({ storageGib }: DatabasePlan, storageClass: string | undefined) => ({
  accessModes: ['ReadWriteOnce'],
  ...(storageClass === undefined ? {} : { storageClassName: storageClass }),
  resources: { requests: { storage: `${storageGib}Gi` } },
});
