import * as k8s from '@pulumi/kubernetes';
import * as pulumi from '@pulumi/pulumi';
import { type BridgeConfigurationBasis, bridgeConfiguration, bridgeFile } from '../bridge-configuration.ts';
import type { Scope } from '../plan/names.ts';
import type { PhonePlan, PhonePorts } from '../plan/phone.ts';
import type { RoomKey } from './kept-secrets.ts';
import { containerSecurity, podSecurity, quietPod, resourcesOf } from './pod.ts';
import { versionOf } from './secrets.ts';
import { labelsOf, selectorOf } from './service-deployment.ts';

export interface SipBridgeArgs extends BridgeConfigurationBasis {
  scope: Scope;
  image: string;
  /** What it enters rooms with. */
  used: RoomKey;
  cacheUrl: pulumi.Input<string>;
}

/** A stopping bridge keeps its ports, so the next one on its node waits for the longest call. */
const patienceSeconds = 600;

/**
 * livekit-sip on its nodes' own network, one a node: a carrier sends the sound of each call to a port of its own, which no balancer
 * leads on. Told to stop, it is not ready, and ends with its last call; one that a carrier still sends to its address is taken (livekit-sip 1.8.0).
 */
export class SipBridge extends pulumi.ComponentResource {
  readonly deployment: k8s.apps.v1.Deployment;

  constructor(name: string, args: SipBridgeArgs, opts?: pulumi.ComponentResourceOptions) {
    super('parley:kubernetes:SipBridge', name, {}, opts);
    const { scope, phone, addresses, used, cacheUrl } = args;
    const labels = labelsOf(scope, 'phone');
    const metadata = { namespace: scope.phoneNamespace, labels };
    const file = pulumi.secret(
      pulumi
        .all([used, cacheUrl])
        .apply(([{ key, secret }, cacheUrl]) =>
          bridgeConfiguration({ phone, addresses }, { key, secret, cacheUrl: String(cacheUrl) }),
        ),
    );
    const configuration = new k8s.core.v1.Secret(
      `${name}-configuration`,
      { metadata: { ...metadata, name: 'configuration' }, stringData: { [bridgeFile.name]: file } },
      { parent: this },
    );
    const selector = { matchLabels: selectorOf(scope, 'phone') };
    this.deployment = new k8s.apps.v1.Deployment(
      name,
      {
        metadata: { ...metadata, name: 'phone' },
        spec: {
          replicas: phone.replicas,
          selector,
          revisionHistoryLimit: 3,
          // Ports of the node are taken until the old one is gone.
          strategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 1, maxSurge: 0 } },
          progressDeadlineSeconds: phone.graceSeconds + patienceSeconds,
          template: {
            metadata: {
              labels,
              annotations: {
                'parley.dev/secrets': versionOf({ 'room-keys': { file } }),
                ...(phone.holdsNode && { 'cluster-autoscaler.kubernetes.io/safe-to-evict': 'false' }),
              },
            },
            spec: podOf(args, configuration.metadata.name),
          },
        },
      },
      { parent: this, customTimeouts: timeouts(phone) },
    );
    if (phone.replicas > 1) {
      new k8s.policy.v1.PodDisruptionBudget(
        name,
        { metadata: { ...metadata, name: 'phone' }, spec: { maxUnavailable: 1, selector } },
        { parent: this },
      );
    }
    this.registerOutputs({});
  }
}

const timeouts = ({ replicas, graceSeconds }: PhonePlan) => {
  const longest = `${replicas * graceSeconds + patienceSeconds}s`;
  return { create: `${patienceSeconds}s`, update: longest, delete: longest };
};

function podOf(
  { scope, phone, image }: SipBridgeArgs,
  secretName: pulumi.Input<string>,
): k8s.types.input.core.v1.PodSpec {
  const { ports, taints } = phone;
  /** 200; 429 while its CPU is used up, 503 while it waits for its last call. */
  const takesCalls = { httpGet: { path: '/', port: ports.health }, timeoutSeconds: 3 };
  return {
    ...quietPod(scope),
    hostNetwork: true,
    dnsPolicy: 'ClusterFirstWithHostNet',
    securityContext: podSecurity(),
    terminationGracePeriodSeconds: phone.graceSeconds,
    nodeSelector: { ...phone.nodes },
    ...(taints.length === 0
      ? {}
      : { tolerations: taints.map((taint) => ({ ...taint, operator: 'Equal', effect: 'NoSchedule' })) }),
    volumes: [{ name: 'configuration', secret: { secretName } }],
    containers: [
      {
        name: 'livekit-sip',
        image,
        ports: portsOf(ports),
        securityContext: containerSecurity,
        resources: resourcesOf(phone.resources),
        startupProbe: { ...takesCalls, periodSeconds: 2, failureThreshold: 60 },
        // One that is busy, or is only finishing calls, is alive.
        livenessProbe: { tcpSocket: { port: ports.health }, timeoutSeconds: 3, periodSeconds: 10, failureThreshold: 6 },
        readinessProbe: { ...takesCalls, periodSeconds: 2, failureThreshold: 2 },
        volumeMounts: [{ name: 'configuration', mountPath: bridgeFile.folder, readOnly: true }],
      },
    ],
  };
}

/** Named as host ports, so that the scheduler never puts two bridges on a node; those of media need no names. */
const portsOf = ({ signalling, health, metrics }: PhonePorts) =>
  [
    { name: 'sip-udp', port: signalling, protocol: 'UDP' },
    { name: 'sip-tcp', port: signalling, protocol: 'TCP' },
    { name: 'health', port: health, protocol: 'TCP' },
    { name: 'metrics', port: metrics, protocol: 'TCP' },
  ].map(({ name, port, protocol }) => ({ name, containerPort: port, hostPort: port, protocol }));
