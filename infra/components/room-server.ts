import * as k8s from '@pulumi/kubernetes';
import * as pulumi from '@pulumi/pulumi';
import type { Scope } from '../plan/names.ts';
import type { RoomPorts, RoomServerPlan } from '../plan/rooms.ts';
import {
  configurationFile,
  nodeAddressVariable,
  type RoomConfigurationBasis,
  roomArguments,
  roomConfiguration,
} from '../room-configuration.ts';
import type { RoomKey } from './kept-secrets.ts';
import { containerSecurity, podSecurity, quietPod, resourcesOf } from './pod.ts';
import { versionOf } from './secrets.ts';
import { labelsOf, selectorOf } from './service-deployment.ts';

export interface RoomServerArgs extends RoomConfigurationBasis {
  scope: Scope;
  image: string;
  /** What it signs events with, and processes their requests. */
  used: RoomKey;
  /** All whose requests it takes. */
  known: readonly RoomKey[];
  cacheUrl: pulumi.Input<string> | undefined;
  /** Ports of every node, where balancers reach nodes and not pods. */
  nodePorts?: { signalling: number; turn: number };
}

/** A stopping server keeps its ports, so the next one on its node waits for the longest conversation. */
const patienceSeconds = 600;

/** LiveKit on its nodes' own network, one a node: media goes straight to it, by one UDP port and one TCP port. */
export class RoomServer extends pulumi.ComponentResource {
  readonly deployment: k8s.apps.v1.Deployment;

  constructor(name: string, args: RoomServerArgs, opts?: pulumi.ComponentResourceOptions) {
    super('parley:kubernetes:RoomServer', name, {}, opts);
    const { scope, rooms, addresses, used, known, cacheUrl, nodePorts } = args;
    const labels = labelsOf(scope, 'rooms');
    const metadata = { namespace: scope.roomsNamespace, labels };
    const file = pulumi.secret(
      pulumi
        .all([used, cacheUrl, [...known]])
        .apply(([{ key, secret }, cacheUrl, known]) =>
          roomConfiguration({ rooms, addresses }, { key, secret, cacheUrl, known }),
        ),
    );
    const configuration = new k8s.core.v1.Secret(
      `${name}-configuration`,
      { metadata: { ...metadata, name: 'configuration' }, stringData: { [configurationFile.name]: file } },
      { parent: this },
    );
    this.deployment = new k8s.apps.v1.Deployment(
      name,
      {
        metadata: { ...metadata, name: 'rooms' },
        spec: {
          replicas: rooms.replicas,
          selector: { matchLabels: selectorOf(scope, 'rooms') },
          revisionHistoryLimit: 3,
          // Ports of the node are taken until the old one is gone.
          strategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 1, maxSurge: 0 } },
          progressDeadlineSeconds: rooms.graceSeconds + patienceSeconds,
          template: {
            metadata: {
              labels,
              annotations: {
                'parley.dev/secrets': versionOf({ 'room-keys': { file } }),
                ...(rooms.holdsNode && { 'cluster-autoscaler.kubernetes.io/safe-to-evict': 'false' }),
              },
            },
            spec: podOf(args, configuration.metadata.name),
          },
        },
      },
      { parent: this, customTimeouts: timeouts(rooms) },
    );
    new k8s.core.v1.Service(
      name,
      {
        metadata: { ...metadata, name: 'rooms' },
        spec: {
          ...(nodePorts === undefined ? {} : { type: 'NodePort' }),
          selector: selectorOf(scope, 'rooms'),
          // Any server takes any caller, and one that stops is led to no more.
          ports: servicePorts(rooms.ports, nodePorts),
        },
      },
      { parent: this },
    );
    if (rooms.replicas > 1) {
      new k8s.policy.v1.PodDisruptionBudget(
        name,
        {
          metadata: { ...metadata, name: 'rooms' },
          spec: { maxUnavailable: 1, selector: { matchLabels: selectorOf(scope, 'rooms') } },
        },
        { parent: this },
      );
    }
    this.registerOutputs({});
  }
}

const timeouts = ({ replicas, graceSeconds }: RoomServerPlan) => {
  const longest = `${replicas * graceSeconds + patienceSeconds}s`;
  return { create: `${patienceSeconds}s`, update: longest, delete: longest };
};

function podOf(
  { scope, rooms, image }: RoomServerArgs,
  secretName: pulumi.Input<string>,
): k8s.types.input.core.v1.PodSpec {
  const { ports, taints } = rooms;
  const answers = { httpGet: { path: '/', port: ports.signalling }, timeoutSeconds: 3 };
  return {
    ...quietPod(scope),
    hostNetwork: true,
    dnsPolicy: 'ClusterFirstWithHostNet',
    securityContext: podSecurity(),
    terminationGracePeriodSeconds: rooms.graceSeconds,
    nodeSelector: { ...rooms.nodes },
    ...(taints.length === 0
      ? {}
      : { tolerations: taints.map((taint) => ({ ...taint, operator: 'Equal', effect: 'NoSchedule' })) }),
    volumes: [{ name: 'configuration', secret: { secretName } }],
    containers: [
      {
        name: 'livekit',
        image,
        args: roomArguments(rooms),
        env:
          rooms.address === 'node'
            ? [{ name: nodeAddressVariable, valueFrom: { fieldRef: { fieldPath: 'status.hostIP' } } }]
            : [],
        ports: portsOf(ports),
        securityContext: containerSecurity,
        resources: resourcesOf(rooms.resources),
        startupProbe: { ...answers, periodSeconds: 2, failureThreshold: 60 },
        livenessProbe: { ...answers, periodSeconds: 10, failureThreshold: 6 },
        readinessProbe: { ...answers, periodSeconds: 2, failureThreshold: 2 },
        ...(rooms.preStopSeconds > 0 ? { lifecycle: { preStop: { sleep: { seconds: rooms.preStopSeconds } } } } : {}),
        volumeMounts: [{ name: 'configuration', mountPath: configurationFile.folder, readOnly: true }],
      },
    ],
  };
}

/** TURN is reached by a balancer only, where there is one. */
const servicePorts = ({ signalling, turn }: RoomPorts, nodePorts: RoomServerArgs['nodePorts']) => [
  { name: 'signalling', port: signalling, ...(nodePorts && { nodePort: nodePorts.signalling }) },
  ...(turn === undefined || nodePorts === undefined ? [] : [{ name: 'turn', port: turn, nodePort: nodePorts.turn }]),
];

/** Named as host ports, so that the scheduler never puts two servers of one slot on a node. */
const portsOf = ({ signalling, mediaTcp, mediaUdp, turn, metrics }: RoomPorts) =>
  [
    { name: 'signalling', port: signalling, protocol: 'TCP' },
    { name: 'media-tcp', port: mediaTcp, protocol: 'TCP' },
    { name: 'media-udp', port: mediaUdp, protocol: 'UDP' },
    ...(turn === undefined ? [] : [{ name: 'turn', port: turn, protocol: 'TCP' }]),
    { name: 'metrics', port: metrics, protocol: 'TCP' },
  ].map(({ name, port, protocol }) => ({ name, containerPort: port, hostPort: port, protocol }));
