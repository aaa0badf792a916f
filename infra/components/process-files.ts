import type { types } from '@pulumi/kubernetes';
import { mounts } from '../plan/variables.ts';
import type { DatabaseUrls } from './database-urls.ts';

/** Files that every process of ours needs beside its image. */
export type ProcessFiles = Pick<DatabaseUrls, 'certificate'>;

export const databaseCertificateFile = `${mounts.certificates}/database.pem`;

interface Files {
  volumes: types.input.core.v1.Volume[];
  mounts: types.input.core.v1.VolumeMount[];
}

export function withFiles({ certificate }: ProcessFiles): Files {
  if (certificate === undefined) return { volumes: [], mounts: [] };
  const items = [{ key: certificate.key, path: 'database.pem' }];
  return {
    volumes: [
      {
        name: 'certificates',
        ...(certificate.secretName === undefined ? {} : { secret: { secretName: certificate.secretName, items } }),
        ...(certificate.configMapName === undefined ? {} : { configMap: { name: certificate.configMapName, items } }),
      },
    ],
    mounts: [{ name: 'certificates', mountPath: mounts.certificates, readOnly: true }],
  };
}
