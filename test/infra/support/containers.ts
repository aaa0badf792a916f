import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { KubeApi, KubeObject } from './kube-api.ts';

/** What Kubernetes would start, with everything it looks up for it. */
export interface Container {
  command: string[];
  env: Record<string, string>;
  /** Content by path, from mounted ConfigMaps and Secrets. */
  files: Map<string, string>;
}

interface KeyReference {
  name: string;
  key: string;
}

interface ContainerSpec {
  command?: string[];
  env?: { name: string; value?: string; valueFrom?: { secretKeyRef?: KeyReference } }[];
  volumeMounts?: { name: string; mountPath: string }[];
}

interface Volume {
  name: string;
  configMap?: { name: string; items?: { key: string; path: string }[] };
  secret?: { secretName: string; items?: { key: string; path: string }[] };
}

interface PodSpec {
  containers: ContainerSpec[];
  volumes?: Volume[];
}

/** The only container of a Deployment's or Job's pods. */
export async function containerOf(api: KubeApi, object: KubeObject): Promise<Container> {
  const pod = (object.spec as { template: { spec: PodSpec } }).template.spec;
  const [container] = pod.containers;
  const namespace = object.metadata.namespace ?? '';
  if (!container) throw new Error(`${object.kind} ${object.metadata.name} has no container`);
  return {
    command: container.command ?? [],
    env: await environmentOf(api, namespace, container),
    files: await filesOf(api, namespace, pod, container),
  };
}

export async function secretOf(api: KubeApi, namespace: string, name: string): Promise<Record<string, string>> {
  const secret = await api.read({ apiVersion: 'v1', kind: 'Secret', name, namespace });
  if (!secret) throw new Error(`there is no Secret ${name} in ${namespace}`);
  const data = Object.entries((secret.data ?? {}) as Record<string, string>);
  return Object.fromEntries(data.map(([key, value]) => [key, Buffer.from(value, 'base64').toString()]));
}

async function environmentOf(api: KubeApi, namespace: string, { env = [] }: ContainerSpec) {
  const values = env.map(async ({ name, value, valueFrom }) => {
    const from = valueFrom?.secretKeyRef;
    if (!from) return [name, value ?? ''] as const;
    const found = (await secretOf(api, namespace, from.name))[from.key];
    if (found === undefined) throw new Error(`Secret ${from.name} has no ${from.key}, which ${name} should hold`);
    return [name, found] as const;
  });
  return Object.fromEntries(await Promise.all(values));
}

async function filesOf(api: KubeApi, namespace: string, pod: PodSpec, container: ContainerSpec) {
  const files = new Map<string, string>();
  for (const { name, mountPath } of container.volumeMounts ?? []) {
    const volume = pod.volumes?.find((one) => one.name === name);
    if (!volume) throw new Error(`there is no volume ${name} for ${mountPath}`);
    const content = await contentOf(api, namespace, volume);
    const items = volume.configMap?.items ?? volume.secret?.items;
    const paths = items ?? Object.keys(content).map((key) => ({ key, path: key }));
    for (const { key, path } of paths) files.set(join(mountPath, path), content[key] ?? '');
  }
  return files;
}

async function contentOf(api: KubeApi, namespace: string, { configMap, secret }: Volume) {
  if (secret) return secretOf(api, namespace, secret.secretName);
  if (!configMap) return {};
  const found = await api.read({ apiVersion: 'v1', kind: 'ConfigMap', name: configMap.name, namespace });
  return (found?.data ?? {}) as Record<string, string>;
}

/**
 * The container's environment for a process of this machine: mounted files are written below `folder`, and what stands for a
 * place in the cluster is replaced.
 */
export async function environmentHere(
  { env, files }: Container,
  folder: string,
  places: Readonly<Record<string, string>>,
): Promise<Record<string, string>> {
  for (const [path, content] of files) {
    const file = join(folder, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, content);
  }
  const mounted = [...new Set([...files.keys()].map((path) => path.split('/').slice(0, 4).join('/')))];
  const replaced = { ...Object.fromEntries(mounted.map((path) => [path, join(folder, path)])), ...places };
  return Object.fromEntries(
    Object.entries(env).map(([name, value]) => [
      name,
      Object.entries(replaced).reduce((text, [there, here]) => text.replaceAll(there, here), value),
    ]),
  );
}
