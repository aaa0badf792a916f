/**
 * Stands in for pulumi-resource-kubernetes, which no package registry carries: server-side apply against a real API server. It
 * waits for what it made as the real one does, and replaces what the real one replaces.
 */
import { readFile } from 'node:fs/promises';
import { eventually } from '../../support/eventually.ts';
import { KubeApi, KubeError, type KubeObject, type KubeReference } from './kube-api.ts';
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
/** Set by the program: Secrets change in place. */
let secretsChange = false;

function cluster(): KubeApi {
  if (!api) throw new Error('no kubeconfig was given to the Kubernetes provider');
  return api;
}

const asObject = (properties: Properties) => properties as unknown as KubeObject;

function idOf({ metadata }: KubeObject): string {
  return metadata.namespace === undefined ? metadata.name : `${metadata.namespace}/${metadata.name}`;
}

function reference(id: string, { apiVersion, kind }: KubeObject): KubeReference {
  const [name = '', namespace] = id.split('/').reverse();
  return { apiVersion, kind, name, namespace };
}

/** A name of its own where the program gives none, kept from one update to the next. */
function named(resource: { name: string }, inputs: Properties, before: Properties): KubeObject {
  const given = (inputs.metadata ?? {}) as KubeObject['metadata'];
  const earlier = (before.metadata as KubeObject['metadata'] | undefined)?.name;
  const name = given.name ?? earlier ?? `${resource.name}-${Math.random().toString(16).slice(2, 10)}`;
  return asObject({ ...inputs, metadata: { ...given, name } });
}

/** What is refused already now. An object in a namespace that is still to come can't be judged yet. */
async function faultsOf(object: KubeObject, before: Properties): Promise<string[]> {
  if (hasUnknown(object) || replacedPaths(before, object).length > 0) return [];
  try {
    await cluster().apply(object, { dryRun: true });
    return [];
  } catch (error) {
    if (error instanceof KubeError && error.status === 404) return [];
    return [(error as Error).message];
  }
}

function replacedPaths(before: Properties, object: KubeObject): string[] {
  if (before.kind === undefined) return [];
  const ofKind = object.kind === 'Secret' && secretsChange ? [] : (replacedOn[object.kind] ?? []);
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
  const made = await cluster().apply(object);
  const isDone = waitedFor[made.kind];
  if (!isDone || made.metadata.annotations?.['pulumi.com/skipAwait'] === 'true') return made;
  return eventually(
    `${made.kind} ${idOf(made)} is ready`,
    async () => {
      const now = await cluster().read(reference(idOf(made), made));
      return now && isDone(now) ? now : undefined;
    },
    { withinMs: 90_000, everyMs: 100 },
  );
}

/** The inputs and what the server made of the object: its status would differ at every look. */
const stateOf = ({ metadata, ...object }: KubeObject): Properties => {
  const { managedFields, resourceVersion, generation, ...kept } = metadata as Properties;
  const { status, ...rest } = object;
  return { ...rest, metadata: kept };
};

/** Charts come from the internet: they are written down and not installed. */
const chart = 'kubernetes:helm.sh/v3:Release';

const chartFaults = (inputs: Properties) =>
  ['chart', 'version', 'namespace'].filter((name) => inputs[name] === undefined).map((name) => `${name} is missing`);

serveProvider({
  version: '4.34.2',
  async configure(config) {
    secretsChange = String(config.enableSecretMutable) === 'true';
    const given = String(config.kubeconfig ?? process.env.KUBECONFIG ?? '');
    if (given === '') return;
    api = new KubeApi(given.includes('apiVersion') ? given : await readFile(given, 'utf8'));
  },
  async check(resource, inputs, before): Promise<Check> {
    if (resource.type === chart) return { inputs, faults: chartFaults(inputs) };
    const object = named(resource, inputs, before);
    return { inputs: object as unknown as Properties, faults: await faultsOf(object, before) };
  },
  async diff(resource, before, inputs) {
    if (resource.type === chart)
      return { changed: changedProperties(before, inputs), replaces: [], deleteBeforeReplace: false };
    const replaces = replacedPaths(before, asObject(inputs));
    return { changed: changedProperties(before, inputs), replaces, deleteBeforeReplace: replaces.length > 0 };
  },
  async create(resource, inputs) {
    if (resource.type === chart) return { id: `${inputs.namespace}/${resource.name}`, properties: inputs };
    const made = await applied(asObject(inputs));
    return { id: idOf(made), properties: stateOf(made) };
  },
  async update(resource, _id, inputs) {
    if (resource.type === chart) return inputs;
    return stateOf(await applied(asObject(inputs)));
  },
  async read(resource, id, before) {
    if (resource.type === chart) return before;
    const found = await cluster().read(reference(id, asObject(before)));
    return found && stateOf(found);
  },
  async delete(resource, id, before) {
    if (resource.type === chart) return;
    const what = reference(id, asObject(before));
    await cluster().delete(what);
    const isGone = async () => (await cluster().read(what)) === undefined;
    await eventually(`${what.kind} ${id} is gone`, isGone, { withinMs: 90_000, everyMs: 100 });
  },
  async invoke(token) {
    throw new Error(`the Kubernetes stand-in has no function ${token}`);
  },
});
