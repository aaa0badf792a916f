/** The telephone: SIP bridges, which carriers reach on their nodes' own addresses. */
import type { Tenant } from '../tenant.ts';
import { isRedundant } from './agents.ts';
import { callsPerBridge } from './measured.ts';
import type { Resources } from './resources.ts';
import { longestSeconds, type RoomFacts } from './rooms.ts';

export interface PhonePorts {
  /** UDP and TCP. */
  signalling: number;
  /** UDP, one port a call. */
  media: { from: number; to: number };
  health: number;
  metrics: number;
}

export interface PhonePlan extends Pick<RoomFacts, 'address' | 'nodes' | 'taints' | 'holdsNode'> {
  /** One a node. */
  replicas: number;
  /** That a bridge takes, as far as the others share the rest. */
  callsPerBridge: number;
  ports: PhonePorts;
  resources: Resources;
  /** How long a bridge that was told to stop has for the calls that it carries; it takes no new ones meanwhile. */
  graceSeconds: number;
  /** The network whose address carriers are told, where it is one; else the bridge takes its node's first. */
  localNetwork: string | undefined;
  /** From where it is signalled to, and from where sound comes. */
  carriers: readonly string[];
  media: readonly string[];
}

const signalling = 5_060;
/** Between the room servers' ports of slot 0 and those of the first guest. */
const [health, metrics] = [7_886, 7_887];
const firstMedia = 10_000;
/** A port is kept for half a minute after its call, so that the next one does not hear the last one's carrier. */
const portsPerCall = 2;
const leastMedia = 20;
const marginSeconds = 60;

export function planPhone(tenant: Tenant, facts: RoomFacts): PhonePlan | undefined {
  const { phone, capacity, kubernetes } = tenant;
  if (phone === undefined) return undefined;
  const { address, nodes, taints, holdsNode } = facts;
  const calls = Math.min(phone.calls, callsPerBridge);
  const [nodeNetwork, ...others] = kubernetes.nodeCidrs ?? [];
  return {
    // One more than calls need: they find room while another one waits for its last.
    replicas: Math.ceil(phone.calls / callsPerBridge) + (isRedundant(capacity) ? 1 : 0),
    callsPerBridge: calls,
    ports: {
      signalling,
      media: { from: firstMedia, to: firstMedia + Math.max(leastMedia, portsPerCall * calls) - 1 },
      health,
      metrics,
    },
    resources: { cpuMilli: 500, cpuLimitMilli: 2_000, memoryMib: 256, memoryLimitMib: 1_024 },
    graceSeconds: longestSeconds(tenant) + marginSeconds,
    localNetwork: address === 'node' && others.length === 0 ? nodeNetwork : undefined,
    carriers: phone.carriers,
    media: phone.media ?? phone.carriers,
    ...{ address, nodes, taints, holdsNode },
  };
}
