import type { types } from '@pulumi/kubernetes';
import type * as pulumi from '@pulumi/pulumi';
import { mounts, type Variable, type Variables } from '../plan/variables.ts';
import type { DatabaseUrls } from './database-urls.ts';
import { secretFiles } from './pod.ts';

/** Who a process is, and from where it reads what is secret, in a place where that is not Secrets of the cluster. */
export interface SecretSource {
  serviceAccountName: pulumi.Input<string>;
  /** A volume whose files have the names of variables. */
  volume: types.input.core.v1.Volume;
}

/** What every process of ours needs beside its image. */
export interface ProcessFiles extends Pick<DatabaseUrls, 'certificate'> {
  /** Of each process its own; undefined where Secrets are in the cluster. */
  secrets?: Readonly<Record<keyof Variables, SecretSource>>;
}

export const databaseCertificateFile = `${mounts.certificates}/database.pem`;

interface Files {
  volumes: types.input.core.v1.Volume[];
  mounts: types.input.core.v1.VolumeMount[];
  serviceAccountName?: pulumi.Input<string>;
}

/** What a process finds as files: the database's certificate, and a file for each of its variables that is secret. */
export function withFiles(
  { certificate, secrets }: ProcessFiles,
  process: keyof Variables,
  variables: readonly Variable[],
): Files {
  const source = secrets?.[process];
  const parts = [secretFiles(variables, source?.volume), ...certificateFiles(certificate)];
  return {
    volumes: parts.map(({ volume }) => volume),
    mounts: parts.map(({ mount }) => mount),
    ...(source === undefined ? {} : { serviceAccountName: source.serviceAccountName }),
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
