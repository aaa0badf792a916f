import type { types } from '@pulumi/kubernetes';
import type * as pulumi from '@pulumi/pulumi';
import { mounts } from '../plan/variables.ts';
import type { DatabaseUrls } from './database-urls.ts';

/** Whom a pod is to AWS, and what of its secrets it may read. */
export interface PodIdentity {
  serviceAccountName: pulumi.Input<string>;
  secretProviderClass: string;
}

/** What every process of ours needs beside its image. */
export interface ProcessFiles extends Pick<DatabaseUrls, 'certificate'> {
  /** Undefined where Secrets are in the cluster already. */
  identity?: PodIdentity;
}

export const databaseCertificateFile = `${mounts.certificates}/database.pem`;

interface Files {
  volumes: types.input.core.v1.Volume[];
  mounts: types.input.core.v1.VolumeMount[];
  serviceAccountName?: pulumi.Input<string>;
}

export function withFiles({ certificate, identity }: ProcessFiles): Files {
  const parts = [...certificateFiles(certificate), ...secretFiles(identity)];
  return {
    volumes: parts.map(({ volume }) => volume),
    mounts: parts.map(({ mount }) => mount),
    ...(identity === undefined ? {} : { serviceAccountName: identity.serviceAccountName }),
  };
}

function certificateFiles(certificate: ProcessFiles['certificate']) {
  if (certificate === undefined) return [];
  const items = [{ key: certificate.key, path: 'database.pem' }];
  const volume = {
    name: 'certificates',
    ...(certificate.secretName === undefined ? {} : { secret: { secretName: certificate.secretName, items } }),
    ...(certificate.configMapName === undefined ? {} : { configMap: { name: certificate.configMapName, items } }),
  };
  return [{ volume, mount: { name: 'certificates', mountPath: mounts.certificates, readOnly: true } }];
}

/** Nobody reads these files: the driver makes the Secrets when a pod mounts them. */
const secretFiles = (identity: PodIdentity | undefined) =>
  identity === undefined
    ? []
    : [
        {
          volume: {
            name: 'secrets',
            csi: {
              driver: 'secrets-store.csi.k8s.io',
              readOnly: true,
              volumeAttributes: { secretProviderClass: identity.secretProviderClass },
            },
          },
          mount: { name: 'secrets', mountPath: mounts.secrets, readOnly: true },
        },
      ];
