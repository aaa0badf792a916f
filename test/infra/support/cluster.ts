import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';
import { operatorDefinitions } from '../../../scripts/toolchain/operators.ts';
import { eventually } from '../../support/eventually.ts';
import { type ControlPlane, startControlPlane } from './control-plane.ts';
import type { KubeApi, KubeObject } from './kube-api.ts';

/**
 * A cluster as an operator brings it: a control plane and nodes, volumes of the default storage class, and the definitions of
 * KEDA and CloudNativePG (without the operators themselves).
 */
export async function startCluster(): Promise<ControlPlane> {
  const cluster = await startControlPlane();
  try {
    await Promise.all([makeVolumes(cluster.api), makeDefinitions(cluster.api)]);
    return cluster;
  } catch (error) {
    await cluster[Symbol.asyncDispose]();
    throw error;
  }
}

const storageClass = 'local';

/** Nobody provisions volumes here, so there are some to be bound. */
async function makeVolumes(api: KubeApi): Promise<void> {
  await api.apply({
    apiVersion: 'storage.k8s.io/v1',
    kind: 'StorageClass',
    metadata: { name: storageClass, annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' } },
    provisioner: 'kubernetes.io/no-provisioner',
    volumeBindingMode: 'WaitForFirstConsumer',
  });
  const volumes = Array.from({ length: 8 }, (_, index) => ({
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name: `volume-${index}` },
    spec: {
      capacity: { storage: '16Ti' },
      accessModes: ['ReadWriteOnce'],
      persistentVolumeReclaimPolicy: 'Retain',
      storageClassName: storageClass,
      hostPath: { path: `/volumes/${index}` },
    },
  }));
  await Promise.all(volumes.map((volume) => api.apply(volume)));
}

async function makeDefinitions(api: KubeApi): Promise<void> {
  const { keda, cloudNativePg } = await operatorDefinitions((line) => process.stderr.write(`${line}\n`));
  const definitions = (await Promise.all([keda, cloudNativePg].map(definitionsIn))).flat();
  await Promise.all(definitions.map((definition) => api.apply(definition)));
  await eventually('every definition is in use', async () => {
    const known = await api.list('apiextensions.k8s.io/v1', 'CustomResourceDefinition');
    return known.length === definitions.length && known.every(isEstablished);
  });
  // Established, and yet "storage is (re)initializing" for a moment.
  await eventually('every kind can be listed', () => api.listEverything());
}

async function definitionsIn(folder: string): Promise<KubeObject[]> {
  const names = await readdir(folder);
  return Promise.all(names.map(async (name) => parse(await readFile(join(folder, name), 'utf8')) as KubeObject));
}

const isEstablished = ({ status }: KubeObject) =>
  ((status as { conditions?: { type: string; status: string }[] } | undefined)?.conditions ?? []).some(
    ({ type, status: is }) => type === 'Established' && is === 'True',
  );
