import type { KubeObject } from './kube-api.ts';

interface SecurityContext {
  [field: string]: unknown;
}

interface PodContainer {
  name: string;
  image: string;
  securityContext: SecurityContext;
  ports: { containerPort: number; hostPort?: number; protocol: string }[];
  args?: string[];
  env?: object[];
  [field: string]: unknown;
}

interface RoomPod {
  securityContext: SecurityContext;
  containers: [PodContainer];
  volumes: object[];
  [field: string]: unknown;
}

/** A pod as a Deployment's own, on its own. */
export function podOf({ metadata, spec }: KubeObject, name: string): KubeObject {
  const { template } = spec as { template: { metadata: KubeObject['metadata']; spec: object } };
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { ...template.metadata, name, ...(metadata.namespace && { namespace: metadata.namespace }) },
    spec: template.spec,
  };
}

const changed = (change: (pod: RoomPod) => void) => change;
const container = (change: (one: PodContainer) => void) => changed(({ containers: [one] }) => change(one));

const command = ['sh', '-c', 'sleep infinity'];

/** What a pod beside room servers or SIP bridges might ask for, each a change of such a pod. */
const changes: Record<string, (pod: RoomPod) => void> = {
  'another image': container((one) => {
    one.image = `registry.example.com/parley@sha256:${'1'.repeat(64)}`;
  }),
  'another program': container((one) => {
    one.command = command;
  }),
  'other arguments': container((one) => {
    one.args = [...(one.args ?? []), '--dev'];
  }),
  'a variable': container((one) => {
    one.env = [...(one.env ?? []), { name: 'LIVEKIT_CONFIG', value: 'port: 22' }];
  }),
  'variables of a Secret': container((one) => {
    one.envFrom = [{ secretRef: { name: 'configuration' } }];
  }),
  'a command when it starts': container((one) => {
    one.lifecycle = { postStart: { exec: { command } } };
  }),
  'a command when it stops': container((one) => {
    one.lifecycle = { preStop: { exec: { command } } };
  }),
  'a request when it stops': container((one) => {
    one.lifecycle = { preStop: { httpGet: { host: '169.254.169.254', port: 80 } } };
  }),
  'a command to look whether it has started': container((one) => {
    one.startupProbe = { exec: { command } };
  }),
  'a command to look whether it lives': container((one) => {
    one.livenessProbe = { exec: { command } };
  }),
  'somebody else to be asked whether it is ready': container((one) => {
    one.readinessProbe = { httpGet: { host: '169.254.169.254', port: 80 } };
  }),
  'a connection to somebody else, to look whether it lives': container((one) => {
    one.livenessProbe = { tcpSocket: { host: '169.254.169.254', port: 80 } };
  }),
  'a second container': changed(({ containers }) => {
    (containers as PodContainer[]).push({ ...containers[0], name: 'second', ports: [] });
  }),
  'an init container': changed((pod) => {
    const [{ image, securityContext }] = pod.containers;
    pod.initContainers = [{ name: 'first', image, securityContext }];
  }),
  'processes of the node': changed((pod) => {
    pod.hostPID = true;
  }),
  'memory of the node': changed((pod) => {
    pod.hostIPC = true;
  }),
  root: changed(({ securityContext }) => {
    securityContext.runAsNonRoot = false;
  }),
  'root by its number': changed(({ securityContext }) => {
    securityContext.runAsUser = 0;
  }),
  'root in the container': container(({ securityContext }) => {
    Object.assign(securityContext, { runAsNonRoot: false });
  }),
  privileges: container(({ securityContext }) => {
    Object.assign(securityContext, { privileged: true, allowPrivilegeEscalation: true });
  }),
  'privileges later': container(({ securityContext }) => {
    securityContext.allowPrivilegeEscalation = true;
  }),
  'a root file system to write to': container(({ securityContext }) => {
    securityContext.readOnlyRootFilesystem = false;
  }),
  'a capability': container(({ securityContext }) => {
    securityContext.capabilities = { drop: ['ALL'], add: ['NET_ADMIN'] };
  }),
  'the usual capabilities': container(({ securityContext }) => {
    securityContext.capabilities = {};
  }),
  'every system call': changed(({ securityContext }) => {
    securityContext.seccompProfile = { type: 'Unconfined' };
  }),
  'every system call in the container': container(({ securityContext }) => {
    securityContext.seccompProfile = { type: 'Unconfined' };
  }),
  'no AppArmor': changed(({ securityContext }) => {
    securityContext.appArmorProfile = { type: 'Unconfined' };
  }),
  'a user of SELinux': changed(({ securityContext }) => {
    securityContext.seLinuxOptions = { user: 'sysadm_u' };
  }),
  'a setting of the kernel': changed(({ securityContext }) => {
    securityContext.sysctls = [{ name: 'kernel.msgmax', value: '65536' }];
  }),
  'a folder of the node': changed(({ volumes }) => {
    volumes.push({ name: 'node', hostPath: { path: '/etc' } });
  }),
  "somebody else's port": container(({ ports }) => {
    ports.push({ containerPort: 22, hostPort: 22, protocol: 'TCP' });
  }),
};

/** Pods that a namespace of room servers, or of SIP bridges, must not admit, by what they ask for. */
export const intrudersAmong = (roomPod: KubeObject): [string, KubeObject][] =>
  Object.entries(changes).map(([what, change]) => {
    const pod = structuredClone(roomPod);
    change(pod.spec as RoomPod);
    return [what, pod];
  });
