/**
 * What engines of network policies make of the same policies. They differ where a Service, a node or an address is meant:
 *
 * - by address, after the Service's address became a pod's (kube-router in k3s, Calico): a selector means pods that are not on their
 *   node's network, a range means every address in it;
 * - by address, before (AWS's VPC CNI): what leaves is judged by the Service's own address, which a selector includes and a range does
 *   not; the longest prefix decides, and what one rule excepts from a range is excepted from all of it (the controller's endpoints.go,
 *   its issues 98 and 121; the agent's issue 180);
 * - by identity (Cilium): a selector means pods, a range means what is outside of the cluster, and its nodes where
 *   `policy-cidr-match-mode` is `nodes` (cilium issue 16308).
 */
import type { Network, Party, Service } from './network.ts';

export interface PolicyPort {
  port?: number;
  protocol?: string;
}

export interface PolicyPeer {
  podSelector?: Selector;
  namespaceSelector?: Selector;
  ipBlock?: { cidr: string; except?: string[] };
}

interface Selector {
  matchLabels?: Record<string, string>;
}

interface Rule {
  from?: PolicyPeer[];
  to?: PolicyPeer[];
  ports?: PolicyPort[];
}

export interface Policy {
  metadata: { name: string; namespace: string };
  spec: { podSelector: Selector; policyTypes: string[]; ingress?: Rule[]; egress?: Rule[] };
}

/** A connection that somebody opens: to a Service by its name, or to a party by its address. */
export interface Connection {
  from: Party;
  to: Party | Service;
  port: number;
  protocol: 'TCP' | 'UDP';
}

export type Engine = (policies: readonly Policy[], connection: Connection, network: Network) => boolean;

const namespaceLabel = 'kubernetes.io/metadata.name';

const isService = (to: Party | Service): to is Service => 'backends' in to;

const holds = ({ matchLabels = {} }: Selector, labels: Readonly<Record<string, string>>) =>
  Object.entries(matchLabels).every(([key, value]) => labels[key] === value);

function numberOf(address: string): number {
  return address.split('.').reduce((sum, part) => sum * 256 + Number(part), 0);
}

function lies(address: string, cidr: string): boolean {
  const [network = '', length = '32'] = cidr.split('/');
  const size = 2 ** (32 - Number(length));
  return Math.floor(numberOf(address) / size) === Math.floor(numberOf(network) / size);
}

const lengthOf = (cidr: string) => Number(cidr.split('/')[1] ?? 32);

/** Whether a selector's peer means this pod of that policy's cluster. */
function selects(
  peer: PolicyPeer,
  policy: Policy,
  namespace: string,
  labels: Readonly<Record<string, string>>,
): boolean {
  if (peer.ipBlock) return false;
  const isThere = peer.namespaceSelector
    ? holds(peer.namespaceSelector, { [namespaceLabel]: namespace })
    : namespace === policy.metadata.namespace;
  return isThere && holds(peer.podSelector ?? {}, labels);
}

const meansPod = (peer: PolicyPeer, policy: Policy, { pod }: Party) =>
  pod !== undefined && selects(peer, policy, pod.namespace, pod.labels);

/** Policies in the way of a party, one direction; none: it is free. Nodes and places outside have none. */
function inTheWay(policies: readonly Policy[], { pod }: Party, direction: 'Ingress' | 'Egress'): Policy[] {
  if (!pod) return [];
  return policies.filter(
    ({ metadata, spec }) =>
      metadata.namespace === pod.namespace &&
      spec.policyTypes.includes(direction) &&
      holds(spec.podSelector, pod.labels),
  );
}

const rulesOf = ({ spec }: Policy, direction: 'Ingress' | 'Egress') =>
  (direction === 'Ingress' ? spec.ingress : spec.egress) ?? [];

const peersOf = (rule: Rule, direction: 'Ingress' | 'Egress') => (direction === 'Ingress' ? rule.from : rule.to) ?? [];

const opens = (ports: readonly PolicyPort[] | undefined, port: number, protocol: string) =>
  ports === undefined || ports.some((one) => (one.port ?? port) === port && (one.protocol ?? 'TCP') === protocol);

type Means = (peer: PolicyPeer, policy: Policy, other: Party) => boolean;

/** The rules as Kubernetes describes them: any that allows is enough. */
function passes(means: Means, policies: readonly Policy[], direction: 'Ingress' | 'Egress', way: Way): boolean {
  const own = direction === 'Ingress' ? way.to : way.from;
  const other = direction === 'Ingress' ? way.from : way.to;
  const guards = inTheWay(policies, own, direction);
  return (
    guards.length === 0 ||
    guards.some((policy) =>
      rulesOf(policy, direction).some((rule) => {
        const peers = peersOf(rule, direction);
        const isMeant = peers.length === 0 || peers.some((peer) => means(peer, policy, other));
        return isMeant && opens(rule.ports, way.port, way.protocol);
      }),
    )
  );
}

/** A connection whose Service became one of its backends. */
interface Way {
  from: Party;
  to: Party;
  port: number;
  protocol: 'TCP' | 'UDP';
}

function waysOf({ from, to, port, protocol }: Connection): Way[] {
  if (!isService(to)) return [{ from, to, port, protocol }];
  const target = to.ports.find((one) => one.port === port)?.target ?? port;
  return to.backends.map((backend) => ({ from, to: backend, port: target, protocol }));
}

const byRules =
  (means: Means): Engine =>
  (policies, connection) => {
    const ways = waysOf(connection);
    const isOpen = (way: Way) => passes(means, policies, 'Egress', way) && passes(means, policies, 'Ingress', way);
    return ways.length > 0 && ways.every(isOpen);
  };

const inRange = ({ ipBlock }: PolicyPeer, { address }: Party) =>
  ipBlock !== undefined && lies(address, ipBlock.cidr) && !ipBlock.except?.some((one) => lies(address, one));

/** kube-router and Calico. */
export const afterTranslation: Engine = byRules(
  (peer, policy, other) => meansPod(peer, policy, other) || inRange(peer, other),
);

/** Cilium; `nodes` is its `policy-cidr-match-mode`. */
export const byIdentity = ({ nodes }: { nodes: boolean }): Engine =>
  byRules(
    (peer, policy, other) =>
      meansPod(peer, policy, other) || (!other.pod && (nodes || !other.isNode) && inRange(peer, other)),
  );

/** AWS's VPC CNI: what leaves meets the address that was asked for, what comes in that of the caller. */
export const beforeTranslation: Engine = (policies, connection, network) => {
  const ways = waysOf(connection);
  const asked = isService(connection.to) ? (connection.to.address ?? undefined) : connection.to.address;
  return (
    ways.length > 0 &&
    ways.every((way) => {
      const [address, port] = asked === undefined ? [way.to.address, way.port] : [asked, connection.port];
      return (
        longestPrefixOpens(policies, 'Egress', way.from, { ...way, address, port }, network) &&
        longestPrefixOpens(policies, 'Ingress', way.to, { ...way, address: way.from.address }, network)
      );
    })
  );
};

interface Entry {
  cidr: string;
  /** An entry without any lets nothing through. */
  ports: readonly PolicyPort[];
  except: readonly string[];
}

const anyPort: PolicyPort[] = [{}];

function longestPrefixOpens(
  policies: readonly Policy[],
  direction: 'Ingress' | 'Egress',
  own: Party,
  { address, port, protocol }: { address: string; port: number; protocol: string },
  network: Network,
): boolean {
  const guards = inTheWay(policies, own, direction);
  if (guards.length === 0) return true;
  const rules = guards.flatMap((policy) =>
    rulesOf(policy, direction).flatMap((rule) => entriesOf(policy, rule, direction, network)),
  );
  const [longest] = trieOf(rules)
    .filter(({ cidr }) => lies(address, cidr))
    .sort((a, b) => lengthOf(b.cidr) - lengthOf(a.cidr));
  return longest !== undefined && opens(longest.ports, port, protocol);
}

/**
 * As the agent puts rules together (aws-network-policy-agent, pkg/fwruleprocessor): rules of one range have their ports and their exceptions
 * in common; a range inherits the ports of wider ones that do not except it; what is excepted lets nothing through, unless it is a rule's own.
 */
function trieOf(rules: readonly Entry[]): Entry[] {
  const entries = new Map<string, Entry>();
  for (const rule of [...rules].sort((a, b) => lengthOf(a.cidr) - lengthOf(b.cidr))) {
    const { cidr } = rule;
    const [network = ''] = cidr.split('/');
    const wider = entries.get(cidr) ? [] : [...entries.values()].filter((one) => lies(network, one.cidr));
    const inherited = wider.filter(({ except }) => !except.some((one) => lies(network, one)));
    const same = entries.get(cidr);
    entries.set(cidr, {
      cidr,
      ports: [...rule.ports, ...(same?.ports ?? []), ...inherited.flatMap(({ ports }) => ports)],
      except: [...rule.except, ...(same?.except ?? [])],
    });
  }
  const excepted = rules.flatMap(({ except }) => except).filter((cidr) => !entries.has(cidr));
  return [...entries.values(), ...excepted.map((cidr) => ({ cidr, ports: [], except: [] }))];
}

function entriesOf(policy: Policy, rule: Rule, direction: 'Ingress' | 'Egress', network: Network): Entry[] {
  const peers = peersOf(rule, direction);
  const ports = rule.ports ?? anyPort;
  if (peers.length === 0) return [{ cidr: '0.0.0.0/0', ports, except: [] }];
  return peers.flatMap((peer) => {
    if (peer.ipBlock) return [{ cidr: peer.ipBlock.cidr, ports, except: peer.ipBlock.except ?? [] }];
    return [
      ...network.parties
        .filter((pod) => meansPod(peer, policy, pod))
        .map(({ address }) => ({ cidr: `${address}/32`, ports, except: [] })),
      ...(direction === 'Egress' ? serviceEntries(policy, peer, ports, network.services) : []),
    ];
  });
}

/** Its controller includes the addresses of Services whose own selectors the peer would select, with the ports that lead to the rule's. */
const serviceEntries = (
  policy: Policy,
  peer: PolicyPeer,
  ports: readonly PolicyPort[],
  services: readonly Service[],
): Entry[] =>
  services.flatMap(({ address, namespace, selector, ports: own }) => {
    if (address === undefined || !selects(peer, policy, namespace, selector)) return [];
    const opened = own.filter(({ target, protocol }) => opens(ports, target, protocol));
    return [{ cidr: `${address}/32`, ports: opened.map(({ port, protocol }) => ({ port, protocol })), except: [] }];
  });

/** Those that a tenant has to live with, by name. */
export const engines: Readonly<Record<string, Engine>> = {
  'before translation (VPC CNI)': beforeTranslation,
  'after translation (kube-router, Calico)': afterTranslation,
  'by identity (Cilium, policy-cidr-match-mode nodes)': byIdentity({ nodes: true }),
};
