import * as k8s from '@pulumi/kubernetes';
import * as pulumi from '@pulumi/pulumi';
import type { Scope } from '../plan/names.ts';
import type { Flow, Peer, TrafficRule } from '../plan/traffic.ts';

type PolicySpec = k8s.types.input.networking.v1.NetworkPolicySpec;

const namespaceLabel = 'kubernetes.io/metadata.name';

export interface NetworkPoliciesArgs {
  scope: Scope;
  traffic: readonly TrafficRule[];
  /** Whether an operator runs the database in this namespace. */
  operated: boolean;
}

/** Refuses everything in the tenant's namespace, and then allows what the plan names. Room servers are on their nodes' network, where these do not apply. */
export class NetworkPolicies extends pulumi.ComponentResource {
  constructor(name: string, { scope, traffic, operated }: NetworkPoliciesArgs, opts?: pulumi.ComponentResourceOptions) {
    super('parley:kubernetes:NetworkPolicies', name, {}, opts);
    const policy = (what: string, spec: PolicySpec) =>
      new k8s.networking.v1.NetworkPolicy(
        `${name}-${what}`,
        { metadata: { name: what, namespace: scope.namespace, labels: { ...scope.labels } }, spec },
        { parent: this },
      );
    policy('nothing', { podSelector: {}, policyTypes: ['Ingress', 'Egress'] });
    policy('names', { podSelector: {}, policyTypes: ['Egress'], egress: [nameServers] });
    for (const { app, labels, from, to } of traffic) {
      policy(app, {
        podSelector: { matchLabels: { ...(labels ?? { 'app.kubernetes.io/name': app }) } },
        policyTypes: ['Ingress', 'Egress'],
        ingress: from.map((flow) => ({ from: peersOf(flow), ...portsOf(flow) })),
        egress: to.map((flow) => ({ to: peersOf(flow), ...portsOf(flow) })),
      });
    }
    if (operated) policy('database', ofOperator);
    this.registerOutputs({});
  }
}

const nameServers: k8s.types.input.networking.v1.NetworkPolicyEgressRule = {
  to: [
    { namespaceSelector: { matchLabels: { [namespaceLabel]: 'kube-system' } } },
    // The cache that some clusters run on every node.
    { ipBlock: { cidr: '169.254.20.10/32' } },
  ],
  ports: [
    { port: 53, protocol: 'UDP' },
    { port: 53, protocol: 'TCP' },
  ],
};

/** Its pods replicate among themselves and ask the cluster's API and the store of backups; the operator asks them. */
const ofOperator: PolicySpec = {
  podSelector: { matchLabels: { 'cnpg.io/cluster': 'database' } },
  policyTypes: ['Ingress', 'Egress'],
  ingress: [
    { from: [{ podSelector: {} }] },
    { from: [{ namespaceSelector: { matchLabels: { [namespaceLabel]: 'cnpg-system' } } }] },
  ],
  egress: [{}],
};

const portsOf = ({ ports }: Flow) => (ports === undefined ? {} : { ports });

const peersOf = ({ peers }: Flow) => peers.map(peerOf);

function peerOf(peer: Peer): k8s.types.input.networking.v1.NetworkPolicyPeer {
  if ('app' in peer) return { podSelector: { matchLabels: { 'app.kubernetes.io/name': peer.app } } };
  if ('namespace' in peer) return { namespaceSelector: { matchLabels: { [namespaceLabel]: peer.namespace } } };
  return { ipBlock: { cidr: peer.cidr } };
}
