import { execFile } from 'node:child_process';
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { stringify } from 'yaml';
import { type KubernetesPrograms, kubernetesPrograms } from '../../../scripts/toolchain/kubernetes.ts';
import { freeTcpPort } from '../../../scripts/toolchain/ports.ts';
import { eventually } from '../../support/eventually.ts';
import { type ClusterProcess, startClusterProcess, stopClusterProcess, whileRunning } from './cluster-process.ts';
import { KubeApi } from './kube-api.ts';

const run = promisify(execFile);

/** A real control plane of Kubernetes on loopback; the nodes are played by kwok. */
export interface ControlPlane extends AsyncDisposable {
  readonly kubeconfig: string;
  readonly kubeconfigFile: string;
  readonly api: KubeApi;
}

const host = '127.0.0.1';
const user = 'admin';

/** Starts etcd, the API server, the controllers, the scheduler and kwok. They end with the test process, whatever ends it. */
export async function startControlPlane(): Promise<ControlPlane> {
  const programs = await kubernetesPrograms((line) => process.stderr.write(`${line}\n`));
  const folder = await mkdtemp(join(tmpdir(), 'parley-kube-'));
  const processes: ClusterProcess[] = [];
  const start = async (name: string, file: string, args: readonly string[]) => {
    const server = await startClusterProcess({ name, file, args, log: join(folder, `${name}.log`) });
    processes.push(server);
    return server;
  };
  const stop = async () => {
    // The API server goes before etcd: without it, its own stop hangs.
    for (const server of [...processes].reverse()) await stopClusterProcess(server);
    await rm(folder, { recursive: true, force: true });
  };
  try {
    const { kubeconfig, kubeconfigFile, api } = await startApiServer(folder, programs, start);
    await startControllers(kubeconfigFile, folder, programs, start);
    await startNodes(kubeconfigFile, programs, api, start);
    const close = async () => {
      await api.close();
      await stop();
    };
    return { kubeconfig, kubeconfigFile, api, [Symbol.asyncDispose]: close };
  } catch (error) {
    await stop();
    throw error;
  }
}

type Start = (name: string, file: string, args: readonly string[]) => Promise<ClusterProcess>;

async function startApiServer(folder: string, programs: KubernetesPrograms, start: Start) {
  const [port, etcdPort, peerPort] = [await freeTcpPort(), await freeTcpPort(), await freeTcpPort()];
  const token = randomBytes(16).toString('hex');
  const key = join(folder, 'service-accounts.key');
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  await writeFile(key, privateKey.export({ type: 'pkcs1', format: 'pem' }), { mode: 0o600 });
  await writeFile(join(folder, 'tokens.csv'), `${token},${user},${user},"system:masters"\n`, { mode: 0o600 });
  const etcdUrl = `http://${host}:${etcdPort}`;
  await start('etcd', programs.etcd, [
    `--data-dir=${join(folder, 'etcd')}`,
    `--listen-client-urls=${etcdUrl}`,
    `--advertise-client-urls=${etcdUrl}`,
    `--listen-peer-urls=http://${host}:${peerPort}`,
    // Nothing here has to outlive a power cut.
    '--unsafe-no-fsync',
  ]);
  const server = await start('api-server', programs.apiServer, [
    `--etcd-servers=${etcdUrl}`,
    `--bind-address=${host}`,
    `--advertise-address=${host}`,
    `--secure-port=${port}`,
    `--cert-dir=${join(folder, 'certificates')}`,
    '--service-account-issuer=https://kubernetes.default.svc',
    `--service-account-key-file=${key}`,
    `--service-account-signing-key-file=${key}`,
    '--service-cluster-ip-range=10.96.0.0/16',
    '--authorization-mode=RBAC',
    `--token-auth-file=${join(folder, 'tokens.csv')}`,
    '--endpoint-reconciler-type=none',
    ...(await frontProxyFlags(folder)),
    // As on any cluster: who may run them is for admission to say.
    '--allow-privileged=true',
  ]);
  const certificate = join(folder, 'certificates', 'apiserver.crt');
  const ca = await eventually('the API server has its certificate', () => readFile(certificate), { withinMs: 60_000 });
  const kubeconfig = kubeconfigFor(`https://${host}:${port}`, ca, token);
  const kubeconfigFile = join(folder, 'kubeconfig');
  await writeFile(kubeconfigFile, kubeconfig, { mode: 0o600 });
  const api = new KubeApi(kubeconfig);
  await eventually('the API server is ready', () => whileRunning(server, () => api.isReady()), { withinMs: 90_000 });
  return { kubeconfig, kubeconfigFile, api };
}

/** With what the API server shows API services of others, such as that of KEDA's figures, that it asks on somebody's behalf. */
async function frontProxyFlags(folder: string): Promise<string[]> {
  const [certificate, key] = [join(folder, 'front-proxy.crt'), join(folder, 'front-proxy.key')];
  const name = 'front-proxy';
  const subject = ['-subj', `/CN=${name}`, '-addext', 'extendedKeyUsage=clientAuth'];
  await run('openssl', [
    'req',
    '-x509',
    '-newkey',
    'rsa:2048',
    '-nodes',
    ...subject,
    '-keyout',
    key,
    '-out',
    certificate,
  ]);
  return [
    `--proxy-client-cert-file=${certificate}`,
    `--proxy-client-key-file=${key}`,
    `--requestheader-client-ca-file=${certificate}`,
    `--requestheader-allowed-names=${name}`,
    '--requestheader-username-headers=X-Remote-User',
    '--requestheader-group-headers=X-Remote-Group',
    '--requestheader-extra-headers-prefix=X-Remote-Extra-',
  ];
}

async function startControllers(kubeconfig: string, folder: string, programs: KubernetesPrograms, start: Start) {
  const asClient = async () => [
    `--kubeconfig=${kubeconfig}`,
    `--authentication-kubeconfig=${kubeconfig}`,
    `--authorization-kubeconfig=${kubeconfig}`,
    `--bind-address=${host}`,
    `--secure-port=${await freeTcpPort()}`,
    '--leader-elect=false',
  ];
  const key = join(folder, 'service-accounts.key');
  await start('controller-manager', programs.controllerManager, [
    ...(await asClient()),
    `--service-account-private-key-file=${key}`,
  ]);
  await start('scheduler', programs.scheduler, await asClient());
}

const zones = ['a', 'b', 'c'];

async function startNodes(kubeconfig: string, programs: KubernetesPrograms, api: KubeApi, start: Start) {
  await start('kwok', programs.kwok, [
    `--kubeconfig=${kubeconfig}`,
    `--config=${programs.kwokStages}`,
    '--manage-all-nodes',
    `--node-ip=${host}`,
    `--server-address=${host}:${await freeTcpPort()}`,
    '--node-lease-duration-seconds=40',
  ]);
  for (const zone of zones) await api.apply(fakeNode(`node-${zone}`, zone));
}

/** A node that kwok plays; labels and taints as the node group would give them. */
export function fakeNode(name: string, zone: string, labels: Record<string, string> = {}, taints: object[] = []) {
  const resources = { cpu: '32', memory: '256Gi', pods: '110', 'ephemeral-storage': '1Ti' };
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name,
      annotations: { 'kwok.x-k8s.io/node': 'fake' },
      labels: {
        'kubernetes.io/os': 'linux',
        'kubernetes.io/arch': 'amd64',
        'kubernetes.io/hostname': name,
        'topology.kubernetes.io/zone': `zone-${zone}`,
        ...labels,
      },
    },
    spec: { taints },
    status: { allocatable: resources, capacity: resources },
  };
}

const kubeconfigFor = (server: string, ca: Buffer, token: string) =>
  stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'here', cluster: { server, 'certificate-authority-data': ca.toString('base64') } }],
    users: [{ name: user, user: { token } }],
    contexts: [{ name: 'default', context: { cluster: 'here', user } }],
    'current-context': 'default',
  });
