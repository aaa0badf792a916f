/** Processes of the world, each with a way of its own to PostgreSQL. */
export const roles = ['host 1', 'host 2', 'worker 1', 'worker 2', 'api 1', 'api 2'] as const;
export type Role = (typeof roles)[number];
export type HostRole = Extract<Role, `host ${string}`>;
export const hostRoles = ['host 1', 'host 2'] as const satisfies readonly HostRole[];

export const isHost = (role: Role): role is HostRole => role.startsWith('host');

/** What is broken by a fault: two that break the same are never there at once. */
type Means = 'database' | 'hosts' | 'network' | 'nothing';

interface Manner {
  /** How long it may last, in milliseconds; drawn. */
  readonly forMs: readonly [number, ...number[]];
  /** On what it may fall; drawn. */
  readonly targets: readonly [readonly Role[], ...(readonly Role[])[]];
  readonly means: Means;
  /** Whether a host that it falls on may be taken for dead, although it lives: it could not show for so long that it does. */
  readonly mayKill: (forMs: number) => boolean;
}

const eachHost = [['host 1'], ['host 2']] as const;
const each = roles.map((role) => [role] as const) as unknown as readonly [readonly [Role], ...(readonly [Role])[]];
const oneOrAll = [...each, ...each, roles] as const;
const bothHosts = [...eachHost, hostRoles] as const;
const never = () => false;
const always = () => true;
/** A heartbeat that has stood still for 10 s proves a death (services/core/hosts/death-watch.ts); less whatever a beat takes on busy cores. */
const longerThanAProof = (forMs: number) => forMs > 8_000;

/** Classes of faults, with what may be drawn of each. */
export const manners = {
  /** Connections to PostgreSQL are reset; in some cases nobody listens for a while. */
  'database cut': { forMs: [0, 2_000], targets: oneOrAll, means: 'database', mayKill: (forMs) => forMs > 0 },
  /** Every byte comes later. */
  'database delayed': { forMs: [6_000, 10_000], targets: oneOrAll, means: 'database', mayKill: never },
  /** Open connections lose every byte and every end; new ones work. */
  'database half open': { forMs: [0], targets: oneOrAll, means: 'database', mayKill: never },
  /** A firewall that drops, new connections included. */
  'database out of reach': { forMs: [4_000, 14_000], targets: oneOrAll, means: 'database', mayKill: longerThanAProof },
  /** A host is killed, and PostgreSQL never hears of the end: its lock stays. Another is started when the fault ends. */
  'FIN swallowed': { forMs: [5_000, 12_000], targets: eachHost, means: 'hosts', mayKill: never },
  /** The synchronous standby takes over, and every connection to the old server is half open. */
  promotion: { forMs: [0], targets: [roles], means: 'database', mayKill: never },
  'stopped for 3 s': { forMs: [3_000], targets: eachHost, means: 'hosts', mayKill: never },
  'stopped for 15 s': { forMs: [15_000], targets: eachHost, means: 'hosts', mayKill: always },
  'stopped for 40 s': { forMs: [40_000], targets: bothHosts, means: 'hosts', mayKill: always },
  /** The cable of a host's node is pulled. */
  'host without network': { forMs: [4_000, 18_000], targets: eachHost, means: 'network', mayKill: longerThanAProof },
  /** It reaches PostgreSQL, and no room. */
  'host cut off from the rooms': { forMs: [12_000], targets: eachHost, means: 'network', mayKill: never },
  /** The cable of the room server's node is pulled. */
  'room server without network': { forMs: [4_000, 10_000], targets: [roles], means: 'network', mayKill: never },
  /** From before the conversations on: 20 s ahead, or behind. */
  'wrong clock': { forMs: [0], targets: each, means: 'nothing', mayKill: never },
} as const satisfies Record<string, Manner>;

export type FaultClass = keyof typeof manners;
export const faultClasses = Object.keys(manners) as FaultClass[];

/** These need nodes of a network of the test's own, which not every machine allows (support/network/nodes.ts). */
export const needsNodes = (fault: FaultClass): boolean => manners[fault].means === 'network';

/** One fault of a schedule. */
export interface Fault {
  class: FaultClass;
  /** Milliseconds after the conversations began. */
  atMs: number;
  forMs: number;
  targets: readonly Role[];
  /** Of a wrong clock. */
  offMs?: number;
}

export const endOf = ({ atMs, forMs }: Fault): number => atMs + forMs;

export const mayKill = ({ class: name, forMs }: Fault): boolean => (manners[name] as Manner).mayKill(forMs);

const leaveWays: ReadonlySet<FaultClass> = new Set([
  'wrong clock',
  'database delayed',
  'host cut off from the rooms',
  'room server without network',
]);

/** Whether it keeps a host from PostgreSQL. */
export const cutsOff = ({ class: name, targets }: Fault, role: HostRole): boolean =>
  targets.includes(role) && !leaveWays.has(name);

/** In one line, for a history. */
export function describeFault({ class: name, forMs, targets, offMs }: Fault): string {
  const whom = targets.length === roles.length ? 'everything' : targets.join(', ');
  return [name, whom, ...(forMs > 0 ? [`${forMs / 1_000} s`] : []), ...(offMs ? [`${offMs / 1_000} s off`] : [])].join(
    ' · ',
  );
}
