import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { settings } from '../../../services/settings/settings.ts';
import type { KubeApi, KubeObject } from './kube-api.ts';

/** What Kubernetes would start, with everything it looks up for it. */
export interface Container {
  command: string[];
  env: Record<string, string>;
  /** Content by path, from mounted ConfigMaps and Secrets. */
  files: Map<string, string>;
}

interface ContainerSpec {
  command?: string[];
  env?: { name: string; value?: string }[];
  volumeMounts?: { name: string; mountPath: string }[];
}

interface Volume {
  name: string;
  configMap?: { name: string; items?: { key: string; path: string }[] };
  secret?: { secretName: string; items?: { key: string; path: string }[] };
  projected?: { sources: { secret: { name: string; items: { key: string; path: string }[] } }[] };
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
    env: Object.fromEntries((container.env ?? []).map(({ name, value = '' }) => [name, value])),
    files: await filesOf(api, namespace, pod, container),
  };
}

export async function secretOf(api: KubeApi, namespace: string, name: string): Promise<Record<string, string>> {
  const secret = await api.read({ apiVersion: 'v1', kind: 'Secret', name, namespace });
  if (!secret) throw new Error(`there is no Secret ${name} in ${namespace}`);
  const data = Object.entries((secret.data ?? {}) as Record<string, string>);
  return Object.fromEntries(data.map(([key, value]) => [key, Buffer.from(value, 'base64').toString()]));
}

/** A variable as the process finds it: its own, or a file of the folder of secrets. */
export function variableOf({ env, files }: Container, name: string): string {
  return files.get(join(env[settings.secretsFolder.name] ?? '', name)) ?? env[name] ?? '';
}

async function filesOf(api: KubeApi, namespace: string, pod: PodSpec, container: ContainerSpec) {
  const files = new Map<string, string>();
  for (const { name, mountPath } of container.volumeMounts ?? []) {
    const volume = pod.volumes?.find((one) => one.name === name);
    if (!volume) throw new Error(`there is no volume ${name} for ${mountPath}`);
    for (const { secret } of volume.projected?.sources ?? []) {
      const content = await secretOf(api, namespace, secret.name);
      for (const { key, path } of secret.items) files.set(join(mountPath, path), keyIn(content, secret.name, key));
    }
    const content = await contentOf(api, namespace, volume);
    const items = volume.configMap?.items ?? volume.secret?.items;
    const paths = items ?? Object.keys(content).map((key) => ({ key, path: key }));
    for (const { key, path } of paths) files.set(join(mountPath, path), content[key] ?? '');
  }
  return files;
}

function keyIn(content: Record<string, string>, secret: string, key: string): string {
  const found = content[key];
  if (found === undefined) throw new Error(`Secret ${secret} has no ${key}`);
  return found;
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
  const here = (text: string, replaced: Readonly<Record<string, string>>) =>
    Object.entries(replaced).reduce((before, [there, place]) => before.replaceAll(there, place), text);
  for (const [path, content] of files) {
    const file = join(folder, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, here(content, places));
  }
  const mounted = [...new Set([...files.keys()].map((path) => path.split('/').slice(0, 4).join('/')))];
  const replaced = { ...Object.fromEntries(mounted.map((path) => [path, join(folder, path)])), ...places };
  return Object.fromEntries(Object.entries(env).map(([name, value]) => [name, here(value, replaced)]));
}
