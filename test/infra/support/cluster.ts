import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';
import { operatorDefinitions } from '../../../scripts/toolchain/operators.ts';
import { eventually } from '../../support/eventually.ts';
import { type ControlPlane, startControlPlane } from './control-plane.ts';
import type { KubeApi, KubeObject } from './kube-api.ts';

/**
 * A cluster as an operator brings it: a control plane and nodes, volumes of the default storage class, and the definitions of
 * KEDA, CloudNativePG and the secrets store driver (without these themselves).
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
  const { keda, cloudNativePg, secretsStore } = await operatorDefinitions((line) => process.stderr.write(`${line}\n`));
  const definitions = (await Promise.all([keda, cloudNativePg, secretsStore].map(definitionsIn))).flat();
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

const nameOf = ({ kind, metadata }: KubeObject) => `${kind} ${metadata.namespace ?? ''}/${metadata.name}`;

/** Names of what there is, leases aside, which come and go by themselves. */
export async function objectsOf({ api }: ControlPlane): Promise<Set<string>> {
  const all = await api.listEverything();
  return new Set(all.filter(({ kind }) => kind !== 'Lease').map(nameOf));
}

/** Names of what is there and was not there before, once what is on its way out is gone. */
export async function newSince(cluster: ControlPlane, before: ReadonlySet<string>): Promise<string[]> {
  const found = async () => [...(await objectsOf(cluster))].filter((name) => !before.has(name));
  await eventually('nothing is new', async () => (await found()).length === 0).catch(() => undefined);
  return found();
}

/** Waits until every pod of the namespaces runs or has done its work, and gives them. */
export function everyPodRuns({ api }: ControlPlane, namespaces: readonly string[]): Promise<KubeObject[]> {
  const phaseOf = ({ status }: KubeObject) => (status as { phase?: string } | undefined)?.phase ?? '';
  return eventually(
    'every pod runs or has done its work',
    async () => {
      const pods = (await Promise.all(namespaces.map((name) => api.list('v1', 'Pod', name)))).flat();
      const open = pods.filter((pod) => !['Running', 'Succeeded'].includes(phaseOf(pod)));
      if (open.length > 0) throw new Error(open.map((pod) => `${nameOf(pod)} is ${phaseOf(pod)}`).join('; '));
      return pods.length > 0 && pods;
    },
    { withinMs: 60_000, everyMs: 200 },
  );
}
