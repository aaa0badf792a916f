/**
 * Stands in for pulumi-resource-kubernetes, which no package registry carries: server-side apply against a real API server. It
 * waits for what it made as the real one does, and replaces what the real one replaces.
 */
import { readFile } from 'node:fs/promises';
import { eventually } from '../../support/eventually.ts';
import { chartFaults } from './charts.ts';
import { KubeApi, KubeError, type KubeObject, type KubeReference } from './kube-api.ts';
import { configDifference } from './kubernetes-provider-config.ts';
import { changedProperties, differAt, hasUnknown, type Properties } from './property-values.ts';
import { type Check, serveProvider } from './provider-server.ts';

/** Changes of these are not possible in place: the vendor's provider makes a new object. */
const replacedOn: Readonly<Record<string, readonly string[]>> = {
  ConfigMap: ['data', 'binaryData'],
  Secret: ['data', 'stringData', 'type'],
  Job: ['spec.template', 'spec.selector', 'spec.completions'],
  Deployment: ['spec.selector'],
  StatefulSet: ['spec.selector', 'spec.serviceName', 'spec.volumeClaimTemplates', 'spec.podManagementPolicy'],
  DaemonSet: ['spec.selector'],
  PersistentVolumeClaim: ['spec'],
  StorageClass: ['parameters', 'provisioner'],
  RoleBinding: ['roleRef'],
  ClusterRoleBinding: ['roleRef'],
};
const identity = ['apiVersion', 'kind', 'metadata.name', 'metadata.namespace'];

let api: KubeApi | undefined;
/** Set by the program. */
const settings = {
  /** Secrets change in place. */
  secretsChange: false,
  /** What is there already is taken over; else it is refused. */
  takesOver: false,
  /** Fields that others wrote are written; else that is a conflict. */
  forces: false,
};

function cluster(): KubeApi {
  if (!api) throw new Error('no kubeconfig was given to the Kubernetes provider');
  return api;
}

const asObject = (properties: Properties) => properties as unknown as KubeObject;

function idOf({ metadata }: KubeObject): string {
  return metadata.namespace === undefined ? metadata.name : `${metadata.namespace}/${metadata.name}`;
}

/** What is only looked at has nothing but its type, such as `kubernetes:apps/v1:Deployment`, to tell what it is. */
function reference(id: string, { type }: { type: string }): KubeReference {
  const [name = '', namespace] = id.split('/').reverse();
  const [, group = '', kind = ''] = type.split(':');
  return { apiVersion: group.replace(/^core\//, ''), kind, name, namespace };
}

const autonamed = 'pulumi.com/autonamed';

/** A name of its own where the program gives none, kept from one update to the next; a replacement has another. */
function named(resource: { name: string }, inputs: Properties, before: Properties): KubeObject {
  const given = (inputs.metadata ?? {}) as KubeObject['metadata'];
  if (given.name !== undefined) return asObject(inputs);
  const earlier = before.metadata as KubeObject['metadata'] | undefined;
  const kept = earlier?.annotations?.[autonamed] === 'true' ? earlier.name : undefined;
  const name = kept ?? `${resource.name}-${Math.random().toString(16).slice(2, 10)}`;
  return asObject({
    ...inputs,
    metadata: { ...given, name, annotations: { ...given.annotations, [autonamed]: 'true' } },
  });
}

const isAutonamed = (inputs: Properties) => asObject(inputs).metadata.annotations?.[autonamed] === 'true';

/** A Job that has not done its work is made anew where the program asks for that. */
async function isUnready(inputs: Properties): Promise<boolean> {
  const object = asObject(inputs);
  if (object.metadata.annotations?.['pulumi.com/replaceUnready'] !== 'true' || object.kind !== 'Job') return false;
  const live = await cluster().read({ ...object, ...object.metadata });
  return live !== undefined && !waitedFor.Job?.(live);
}

/** The vendor's provider writes an empty map as null once a custom resource changes. */
const withNullMaps = (object: KubeObject): KubeObject =>
  isCustom(object) ? { ...object, spec: nullMaps(object.spec) } : object;

const isCustom = ({ apiVersion }: KubeObject) => /\.(io|sh|com)\//.test(apiVersion) && !/\.k8s\.io\//.test(apiVersion);

function nullMaps(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(nullMaps);
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value);
  return fields.length === 0 ? null : Object.fromEntries(fields.map(([key, field]) => [key, nullMaps(field)]));
}

/** What is refused already now. An object in a namespace that is still to come can't be judged yet. */
async function faultsOf(object: KubeObject, before: Properties): Promise<string[]> {
  if (hasUnknown(object) || replacedPaths(before, object).length > 0) return [];
  try {
    await cluster().apply(before.kind === undefined ? object : withNullMaps(object), {
      dryRun: true,
      force: settings.forces,
    });
    return [];
  } catch (error) {
    if (error instanceof KubeError && error.status === 404) return [];
    return [(error as Error).message];
  }
}

function replacedPaths(before: Properties, object: KubeObject): string[] {
  if (before.kind === undefined) return [];
  const ofKind = object.kind === 'Secret' && settings.secretsChange ? [] : (replacedOn[object.kind] ?? []);
  const paths = [...identity, ...ofKind];
  return paths.filter((path) => differAt(before, object, path));
}

const waitedFor: Readonly<Record<string, (object: KubeObject) => boolean>> = {
  Job: ({ status }) => condition(status, 'Complete'),
  Deployment: (object) => isRolledOut(object, 'updatedReplicas'),
  StatefulSet: (object) => isRolledOut(object, 'updatedReplicas'),
};

const condition = (status: unknown, type: string) =>
  ((status as { conditions?: { type: string; status: string }[] } | undefined)?.conditions ?? []).some(
    (one) => one.type === type && one.status === 'True',
  );

function isRolledOut({ metadata, spec, status }: KubeObject, updated: string): boolean {
  const wanted = (spec as { replicas?: number }).replicas ?? 1;
  const told = (status ?? {}) as Record<string, number>;
  const generation = (metadata as { generation?: number }).generation ?? 1;
  if ((told.observedGeneration ?? 0) < generation) return false;
  return wanted === 0 || ((told.readyReplicas ?? 0) >= wanted && (told[updated] ?? 0) >= wanted);
}

async function applied(object: KubeObject): Promise<KubeObject> {
  const made = await cluster().apply(object, { force: settings.forces });
  const isDone = waitedFor[made.kind];
  if (!isDone || made.metadata.annotations?.['pulumi.com/skipAwait'] === 'true') return made;
  return eventually(
    `${made.kind} ${idOf(made)} is ready`,
    async () => {
      const now = await cluster().read({ ...made, ...made.metadata });
      return now && isDone(now) ? now : undefined;
    },
    { withinMs: 90_000, everyMs: 100 },
  );
}

/** What a program does not change any more is left as others have it: a number of replicas, for example. */
async function withoutIgnored(object: KubeObject, ignored: readonly string[]): Promise<KubeObject> {
  if (!ignored.includes('spec.replicas')) return object;
  const live = await cluster().read({ ...object, ...object.metadata });
  const replicas = (live?.spec as { replicas?: number } | undefined)?.replicas;
  return { ...object, spec: { ...(object.spec as object), replicas } };
}

/** The inputs and what the server made of the object: its status would differ at every look. */
const stateOf = ({ metadata, ...object }: KubeObject): Properties => {
  const { managedFields, resourceVersion, generation, ...kept } = metadata as Properties;
  const { status, ...rest } = object;
  return { ...rest, metadata: kept };
};

/** Charts come from the internet: they are written down and not installed. */
const chart = 'kubernetes:helm.sh/v3:Release';

serveProvider({
  version: '4.34.2',
  async configure(config) {
    settings.secretsChange = String(config.enableSecretMutable) === 'true';
    settings.takesOver = String(config.upsertExistingObjects) === 'true';
    settings.forces = String(config.enablePatchForce) === 'true';
    const given = String(config.kubeconfig ?? process.env.KUBECONFIG ?? '');
    if (given === '') return;
    api = new KubeApi(given.includes('apiVersion') ? given : await readFile(given, 'utf8'));
  },
  diffConfig: configDifference,
  async check(resource, inputs, before): Promise<Check> {
    if (resource.type === chart) return { inputs, faults: hasUnknown(inputs) ? [] : chartFaults(inputs) };
    const object = named(resource, inputs, before);
    return { inputs: object as unknown as Properties, faults: await faultsOf(object, before) };
  },
  async diff(resource, before, inputs) {
    if (resource.type === chart)
      return { changed: changedProperties(before, inputs), replaces: [], deleteBeforeReplace: false };
    const replaces = replacedPaths(before, asObject(inputs));
    const changed = changedProperties(before, inputs);
    if (await isUnready(inputs))
      return { changed: [...changed, 'metadata'], replaces: ['metadata'], deleteBeforeReplace: false };
    // Both may be there at once where they have names of their own.
    const isSameName = !differAt(before, inputs, 'metadata.name') && !differAt(before, inputs, 'metadata.namespace');
    return { changed, replaces, deleteBeforeReplace: replaces.length > 0 && !isAutonamed(inputs) && isSameName };
  },
  async create(resource, inputs) {
    if (resource.type === chart) return { id: `${inputs.namespace}/${resource.name}`, properties: inputs };
    const object = asObject(inputs);
    if (!settings.takesOver && (await cluster().read({ ...object, ...object.metadata })))
      throw new Error(`${object.kind} "${idOf(object)}" already exists`);
    const made = await applied(object);
    return { id: idOf(made), properties: stateOf(made) };
  },
  async update(resource, _id, inputs, _before, ignored) {
    if (resource.type === chart) return inputs;
    return stateOf(await applied(withNullMaps(await withoutIgnored(asObject(inputs), ignored))));
  },
  async read(resource, id, before) {
    if (resource.type === chart) return before;
    const found = await cluster().read(reference(id, resource));
    return found && stateOf(found);
  },
  async delete(resource, id) {
    if (resource.type === chart) return;
    const what = reference(id, resource);
    await cluster().delete(what);
    const isGone = async () => (await cluster().read(what)) === undefined;
    await eventually(`${what.kind} ${id} is gone`, isGone, { withinMs: 90_000, everyMs: 100 });
  },
  async invoke(token) {
    throw new Error(`the Kubernetes stand-in has no function ${token}`);
  },
});
