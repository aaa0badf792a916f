import { type ChildProcess, spawn } from 'node:child_process';
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { appendFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { type KubernetesPrograms, kubernetesPrograms } from '../../../scripts/toolchain/kubernetes.ts';
import { freeTcpPort } from '../../../scripts/toolchain/ports.ts';
import { exitedWithin, hasExited } from '../../../scripts/toolchain/processes.ts';
import { launch } from '../../../scripts/toolchain/unprivileged.ts';
import { eventually } from '../../support/eventually.ts';
import { KubeApi } from './kube-api.ts';

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
  const processes: Server[] = [];
  const start = async (name: string, file: string, args: readonly string[]) => {
    const server = await startServer(name, file, args, join(folder, `${name}.log`));
    processes.push(server);
    return server;
  };
  const stop = async () => {
    // The API server goes before etcd: without it, its own stop hangs.
    for (const server of [...processes].reverse()) await stopServer(server);
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

type Start = (name: string, file: string, args: readonly string[]) => Promise<Server>;

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
    // How often an autoscaler looks; 15 s by default.
    '--horizontal-pod-autoscaler-sync-period=1s',
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
    contexts: [{ name: 'here', context: { cluster: 'here', user } }],
    'current-context': 'here',
  });

interface Server {
  name: string;
  child: ChildProcess;
  log: string;
}

async function startServer(name: string, file: string, args: readonly string[], log: string): Promise<Server> {
  const command = await launch(file, [...args], { whenWeDie: 'KILL' });
  const child = spawn(command.file, command.args, { stdio: ['ignore', 'pipe', 'pipe'] });
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => void appendFile(log, chunk));
  return { name, child, log };
}

async function whileRunning<Fact>({ name, child, log }: Server, look: () => Promise<Fact>): Promise<Fact> {
  if (!hasExited(child)) return look();
  throw new Error(`${name} ended: ${(await readFile(log, 'utf8')).trim().split('\n').slice(-3).join(' ')}`);
}

async function stopServer({ child }: Server): Promise<void> {
  if (hasExited(child)) return;
  child.kill('SIGTERM');
  if (await exitedWithin(child, 5_000)) return;
  child.kill('SIGKILL');
  await exitedWithin(child, 5_000);
}
