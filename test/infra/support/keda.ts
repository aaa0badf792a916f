import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse, parseAllDocuments, stringify } from 'yaml';
import { type KedaPrograms, kedaPrograms } from '../../../scripts/toolchain/keda.ts';
import { freeTcpPort } from '../../../scripts/toolchain/ports.ts';
import { exitedWithin } from '../../../scripts/toolchain/processes.ts';
import { eventually } from '../../support/eventually.ts';
import {
  type ClusterProcess,
  linesOf,
  startClusterProcess,
  stopClusterProcess,
  whileRunning,
} from './cluster-process.ts';
import { secretOf } from './containers.ts';
import type { ControlPlane } from './control-plane.ts';
import type { KubeApi, KubeObject } from './kube-api.ts';

/** KEDA's own operator and metrics adapter, with the rights that its installation gives them. */
export interface Keda extends AsyncDisposable {
  readonly version: string;
  /** What the operator wrote last. */
  output(): Promise<string>;
}

const host = '127.0.0.1';
const namespace = 'keda';
const account = 'keda-operator';
const adapterService = 'keda-metrics-apiserver';
const figures = 'v1beta1.external.metrics.k8s.io';

/**
 * Installs KEDA into a cluster that has its definitions, and resolves when the autoscaler can ask it for figures.
 * @param proxyUrl by which the operator reaches Services
 */
export async function startKeda(cluster: ControlPlane, proxyUrl: string): Promise<Keda> {
  const programs = await kedaPrograms((line) => process.stderr.write(`${line}\n`));
  await using stack = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'parley-keda-'));
  stack.defer(() => rm(folder, { recursive: true, force: true }));
  const place = { folder, ports: await freePorts(), proxyUrl };
  await install(cluster.api, programs, place.ports.adapter);
  await writeFile(join(folder, 'kubeconfig'), await kubeconfigOf(cluster), { mode: 0o600 });
  await makeCertificates(cluster.api, programs, place);
  const operator = stack.adopt(await startOperator(programs, place), stopClusterProcess);
  const adapter = stack.adopt(await startAdapter(programs, place), stopClusterProcess);
  const isAvailable = () => whileRunning(operator, () => whileRunning(adapter, () => hasFigures(cluster.api)));
  await eventually('figures of KEDA can be asked for', isAvailable, { withinMs: 120_000, everyMs: 500 });
  const all = stack.move();
  return {
    version: programs.version,
    output: async () => (await linesOf(operator)).slice(-100).join('\n'),
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}

interface Place {
  folder: string;
  ports: Awaited<ReturnType<typeof freePorts>>;
  proxyUrl: string;
}

const freePorts = async () => ({
  adapter: await freeTcpPort(),
  /** By which the adapter asks the operator. */
  figures: await freeTcpPort(),
  health: await freeTcpPort(),
});

/** Its own manifests; only that the adapter is a process beside the cluster, so its Service is a name for this machine. */
async function install(api: KubeApi, programs: KedaPrograms, adapterPort: number): Promise<void> {
  const documents = parseAllDocuments(await readFile(programs.manifests, 'utf8'));
  const objects = documents.map((one) => one.toJS() as KubeObject | null).filter((one) => one !== null);
  for (const object of objects) await api.apply(hereabouts(object, adapterPort));
}

function hereabouts(object: KubeObject, port: number): KubeObject {
  if (object.kind === 'Service' && object.metadata.name === adapterService)
    return { ...object, spec: { type: 'ExternalName', externalName: 'localhost', ports: [{ port }] } };
  if (object.kind !== 'APIService') return object;
  const spec = object.spec as { service: object };
  return { ...object, spec: { ...spec, service: { ...spec.service, port } } };
}

/** The account's, not the administrator's: what its roles lack is missing here as well. */
async function kubeconfigOf({ api, kubeconfig }: ControlPlane): Promise<string> {
  const name = `${account}-token`;
  await api.apply({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name, namespace, annotations: { 'kubernetes.io/service-account.name': account } },
    type: 'kubernetes.io/service-account-token',
  });
  const token = await eventually('the account has a token', async () => (await secretOf(api, namespace, name)).token);
  const config = parse(kubeconfig) as { users: { name: string; user: object }[] };
  return stringify({ ...config, users: config.users.map((one) => ({ ...one, user: { token } })) });
}

/** The operator makes them into a Secret and ends, to be started again with them: what a kubelet would mount, we write. */
async function makeCertificates(api: KubeApi, programs: KedaPrograms, place: Place): Promise<void> {
  const first = await startOperator(programs, place);
  if (!(await exitedWithin(first.child, 90_000)) || first.child.exitCode !== 0) {
    await stopClusterProcess(first);
    throw new Error(`KEDA made no certificates: ${(await linesOf(first)).slice(-5).join(' ')}`);
  }
  const folder = certificatesIn(place);
  await mkdir(folder);
  const files = Object.entries(await secretOf(api, namespace, 'kedaorg-certs'));
  await Promise.all(files.map(([name, content]) => writeFile(join(folder, name), content, { mode: 0o600 })));
}

const certificatesIn = ({ folder }: Place) => join(folder, 'certificates');

/** What a pod is told, and what it finds in its file system. */
const inCluster = { POD_NAMESPACE: namespace, KEDA_CLUSTER_OBJECT_NAMESPACE: namespace, WATCH_NAMESPACE: '' };

function startOperator({ operator }: KedaPrograms, place: Place): Promise<ClusterProcess> {
  const { folder, ports, proxyUrl } = place;
  return startClusterProcess({
    name: 'keda-operator',
    file: operator,
    args: [
      `--kubeconfig=${join(folder, 'kubeconfig')}`,
      '--enable-cert-rotation=true',
      // Its admission webhooks are not here.
      '--enable-webhook-patching=false',
      `--cert-dir=${certificatesIn(place)}`,
      `--metrics-service-bind-address=${host}:${ports.figures}`,
      `--health-probe-bind-address=${host}:${ports.health}`,
      '--metrics-bind-address=0',
      '--zap-log-level=info',
      '--zap-encoder=console',
    ],
    env: { ...inCluster, HTTP_PROXY: proxyUrl, NO_PROXY: '', no_proxy: '' },
    log: join(folder, 'operator.log'),
  });
}

function startAdapter({ metricsAdapter }: KedaPrograms, place: Place): Promise<ClusterProcess> {
  const { folder, ports } = place;
  const certificates = certificatesIn(place);
  const kubeconfig = join(folder, 'kubeconfig');
  return startClusterProcess({
    name: 'keda-adapter',
    file: metricsAdapter,
    args: [
      ...['kubeconfig', 'lister-kubeconfig', 'authentication-kubeconfig', 'authorization-kubeconfig'].map(
        (flag) => `--${flag}=${kubeconfig}`,
      ),
      `--bind-address=${host}`,
      `--secure-port=${ports.adapter}`,
      // Its own figures, on any port: it can't be told an address, nor to leave them.
      '--port=0',
      `--metrics-service-address=${host}:${ports.figures}`,
      `--metrics-service-grpc-authority=${account}.${namespace}.svc.cluster.local`,
      `--client-ca-file=${join(certificates, 'ca.crt')}`,
      `--tls-cert-file=${join(certificates, 'tls.crt')}`,
      `--tls-private-key-file=${join(certificates, 'tls.key')}`,
      `--cert-dir=${certificates}`,
    ],
    env: inCluster,
    log: join(folder, 'adapter.log'),
  });
}

async function hasFigures(api: KubeApi): Promise<boolean> {
  const service = await api.read({ apiVersion: 'apiregistration.k8s.io/v1', kind: 'APIService', name: figures });
  const { conditions = [] } = (service?.status ?? {}) as {
    conditions?: { type: string; status: string; message?: string }[];
  };
  const available = conditions.find(({ type }) => type === 'Available');
  if (available?.status === 'True') return true;
  throw new Error(available?.message ?? 'nothing is known of it');
}
