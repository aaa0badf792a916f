import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import type { SecretKey, Variable } from '../../infra/plan/variables.ts';
import { planTenant } from '../../infra/plan.ts';
import { planAws } from '../../infra/targets/aws/plan.ts';
import { AwsTenant } from '../../infra/targets/aws/tenant.ts';
import { KubernetesTenant } from '../../infra/targets/kubernetes/tenant.ts';
import type { Tenant } from '../../infra/tenant.ts';
import {
  afterTranslation,
  beforeTranslation,
  byIdentity,
  type Connection,
  type Engine,
  engines,
  type Policy,
} from './support/network/engines.ts';
import type { Network, Party, Service } from './support/network/network.ts';
import { networkOf, policiesIn, type Ranges } from './support/network/places.ts';
import { type Created, createdBy } from './support/pulumi-mocks.ts';
import { awsTenant, images, kubernetesTenant, large, withPhone } from './support/tenants.ts';

const folders = { databaseCertificate: 'PEM', agents: new Map([['desk.yaml', 'x']]), policies: undefined };

const outside = { internet: '198.51.100.10', private: '10.99.0.7', metadata: '169.254.169.254' };
const k3s: Ranges = { pods: '10.42.0', services: '10.43.0', roomNode: '192.168.0.11', others: outside };
const eks: Ranges = {
  pods: '10.40.65',
  services: '172.20.0',
  roomNode: '10.40.0.11',
  others: { ...outside, rds: '10.40.128.20', elasticache: '10.40.128.30', balancer: '10.40.16.9' },
};

interface World {
  tenant: Tenant;
  created: readonly Created[];
  network: Network;
  policies: readonly Policy[];
}

async function onKubernetes(fields: Record<string, unknown> = {}): Promise<World> {
  const tenant = kubernetesTenant({
    ...{ ...large, secrets: { HOOK: 'a' }, agents: { pushSecret: 'HOOK' } },
    ...fields,
  });
  const created = await createdBy(() => new KubernetesTenant('parley-dev', { plan: planTenant(tenant), folders }));
  return { tenant, created, network: networkOf(created, k3s), policies: policiesIn(created) };
}

async function onAws(fields: Record<string, unknown> = {}): Promise<World> {
  const tenant = awsTenant(fields);
  const plan = planTenant(tenant);
  const created = await createdBy(() => new AwsTenant(plan.names.prefix, { plan, aws: planAws(plan), folders }));
  return { tenant, created, network: networkOf(created, eks), policies: policiesIn(created) };
}

/** Where somebody may listen, by name and port: everything that the product has, and what it has no business with. */
const doors: readonly [string, number, 'TCP' | 'UDP'][] = [
  ['api', 7800, 'TCP'],
  ['api', 7801, 'TCP'],
  ['agent', 7802, 'TCP'],
  ['worker', 7803, 'TCP'],
  ['database', 5432, 'TCP'],
  ['cache', 6379, 'TCP'],
  ['solver', 8089, 'TCP'],
  ['names', 53, 'UDP'],
  ['names', 53, 'TCP'],
  ['rooms', 7880, 'TCP'],
  ['rooms', 7881, 'TCP'],
  ['rooms', 7882, 'UDP'],
  ['rooms', 10_250, 'TCP'],
  ['phone', 5060, 'UDP'],
  ['phone', 5060, 'TCP'],
  ['phone', 10_000, 'UDP'],
  ['phone', 7886, 'TCP'],
  ['neighbour', 443, 'TCP'],
  ['internet', 443, 'TCP'],
  ['private', 443, 'TCP'],
  ['private', 5432, 'TCP'],
  ['metadata', 80, 'TCP'],
  ['rds', 5432, 'TCP'],
  ['elasticache', 6379, 'TCP'],
];

/** Every way in which a door is asked for: by its own address, and by each Service that leads to it. */
function waysTo(network: Network, [name, port, protocol]: (typeof doors)[number]): Pick<Connection, 'to' | 'port'>[] {
  const party = network.parties.find((one) => one.name === name);
  if (!party) return [];
  const services = network.services.flatMap((service) =>
    service.backends.includes(party)
      ? service.ports
          .filter((one) => one.target === port && one.protocol === protocol)
          .map((one) => ({ to: service, port: one.port }))
      : [],
  );
  return [{ to: party, port }, ...services];
}

const isGuarded = ({ policies }: World, { pod }: Party) =>
  pod !== undefined && policies.some(({ metadata }) => metadata.namespace === pod.namespace);

/** `from > to:port` of what an engine lets through and that could be refused: one end is a pod of the tenant's namespace. */
function openIn(world: World, engine: Engine): string[] {
  const { network, policies } = world;
  const open = network.parties.flatMap((from) =>
    doors.flatMap((door) => {
      const [name, port, protocol] = door;
      const isOurs = [from, network.parties.find((one) => one.name === name)].some(
        (one) => one && isGuarded(world, one),
      );
      const ways = waysTo(network, door);
      if (!isOurs || from.name === name || ways.length === 0) return [];
      const judged = ways.map((way) => engine(policies, { from, protocol, ...way }, network));
      // By an address and not by a Service, or the other way around, is neither.
      const answer = judged.every(Boolean) ? '' : judged.some(Boolean) ? ' (some ways)' : undefined;
      return answer === undefined ? [] : [`${from.name} > ${name}:${port}${protocol === 'UDP' ? '/udp' : ''}${answer}`];
    }),
  );
  return open.sort();
}

const from = (callers: readonly string[], ...called: string[]) =>
  callers.flatMap((caller) => called.map((one) => `${caller} > ${one}`));

const services = ['api', 'worker', 'agent'];

/** What the product needs wherever it runs. */
const everywhere = [
  ...from(services, 'rooms:7880', 'internet:443'),
  ...from(['agent'], 'rooms:7881', 'rooms:7882/udp'),
  ...from(['rooms', 'keda', 'prometheus'], 'api:7801'),
  ...from(['prometheus'], 'agent:7802', 'worker:7803'),
];

const needed = {
  kubernetes: [
    ...everywhere,
    ...from([...services, 'prepare', 'database-backup'], 'database:5432'),
    ...from(['api', 'rooms'], 'cache:6379'),
    // cert-manager's solver is a pod of this namespace; the ingress controller is told by its own, which it shares on k3s.
    ...from(['ingress', 'names'], 'api:7800', 'worker:7803', 'solver:8089'),
    ...from([...services, 'prepare', 'database', 'database-backup', 'cache', 'solver'], 'names:53', 'names:53/udp'),
  ],
  aws: [
    ...everywhere,
    ...from([...services, 'prepare'], 'rds:5432'),
    ...from(['api'], 'elasticache:6379'),
    // The balancer comes by the address of any node, so the public port is open to the whole network.
    ...from(
      ['balancer', 'rds', 'elasticache', 'rooms', 'ingress', 'keda', 'names', 'neighbour', 'prometheus'],
      'api:7800',
    ),
    // It has its address where room servers have theirs; security groups keep it from here.
    ...from(['balancer'], 'api:7801'),
    ...from([...services, 'prepare', 'solver'], 'names:53', 'names:53/udp'),
  ],
};

describe('on a cluster of somebody else', () => {
  let world: World;
  beforeAll(async () => {
    world = await onKubernetes();
  });

  test.each(Object.entries(engines))('%s lets through what the product needs, and nothing else', (_, engine) => {
    expect(openIn(world, engine)).toEqual([...needed.kubernetes].sort());
  });

  test.each(Object.entries(engines))('%s lets everybody reach the Services that they are told', (_, engine) => {
    expect(toldAndClosed(world, engine)).toEqual([]);
  });

  test('Cilium that does not match nodes by their addresses keeps room servers from everybody: the page says so', () => {
    const open = openIn(world, byIdentity({ nodes: false }));
    expect(needed.kubernetes.filter((way) => !open.includes(way)).sort()).toEqual(
      [
        ...from(services, 'rooms:7880'),
        ...from(['agent'], 'rooms:7881', 'rooms:7882/udp'),
        ...from(['rooms'], 'api:7801', 'cache:6379'),
      ].sort(),
    );
    const page = readFileSync(new URL('../../docs/operate/first-tenant.md', import.meta.url), 'utf8');
    expect(page).toContain('policy-cidr-match-mode');
  });
});

describe('on AWS', () => {
  let world: World;
  beforeAll(async () => {
    world = await onAws();
  });

  test('the VPC CNI lets through what the product needs, and nothing else', () => {
    expect(openIn(world, beforeTranslation)).toEqual([...needed.aws].sort());
  });

  test('the VPC CNI lets everybody reach the Services that they are told', () => {
    expect(toldAndClosed(world, beforeTranslation)).toEqual([]);
  });
});

describe('with a telephone', () => {
  /** The bridge has the address of its node, as a room server has: it is a node to every engine. */
  const ofBridge = (engine: Engine, world: World) => openIn(world, engine).filter((way) => way.includes('phone'));

  test.each(Object.entries(engines))(
    '%s lets the bridge reach the API and Redis, and the API ask whether it lives',
    async (_, engine) => {
      const world = await onKubernetes(withPhone(images));
      expect(ofBridge(engine, world)).toEqual([
        ...from(['api'], 'phone:7886'),
        ...from(['phone'], 'api:7801', 'cache:6379'),
      ]);
      expect(openIn(world, engine).filter((way) => !way.includes('phone'))).toEqual([...needed.kubernetes].sort());
      expect(doorClosed(world, engine)).toEqual([]);
    },
  );

  test('the VPC CNI does, too; it opens the public port to all of the network', async () => {
    const { services, roomServer } = images;
    const world = await onAws(withPhone({ services, roomServer }));
    expect(ofBridge(beforeTranslation, world)).toEqual([
      ...from(['api'], 'phone:7886'),
      ...from(['phone'], 'api:7800', 'api:7801'),
    ]);
    expect(doorClosed(world, beforeTranslation)).toEqual([]);
  });
});

/** Services that the bridge is told, and that an engine keeps it from. */
function doorClosed({ tenant, network, policies }: World, engine: Engine): string[] {
  const { addresses, names } = planTenant(tenant);
  const bridge = network.parties.find(({ name }) => name === 'phone');
  const cache = `redis://cache.${names.namespace}.svc.cluster.local:6379`;
  const told = [addresses.bridgeDoorUrl, ...(tenant.target === 'kubernetes' ? [cache] : [])];
  return told.filter((value) => {
    const service = serviceIn(network, value);
    const way = service && { to: service.service, port: service.port, protocol: 'TCP' as const };
    return !(bridge && way && engine(policies, { from: bridge, ...way }, network));
  });
}

/** Addresses of Services that processes, room servers and KEDA are told, and that an engine keeps them from. */
function toldAndClosed({ tenant, created, network, policies }: World, engine: Engine): string[] {
  const { variables, addresses } = planTenant(tenant);
  const told = [
    ...Object.entries(variables).flatMap(([name, of]: [string, Variable[]]) =>
      of.map((variable) => [name, heldValue(created, variable)]),
    ),
    ['rooms', addresses.roomEventsUrl],
    ['keda', addresses.scalingUrl],
  ];
  const calls = told.flatMap(([caller = '', value]) => {
    const service = value === undefined ? undefined : serviceIn(network, value);
    return service ? [{ caller, ...service }] : [];
  });
  expect(new Set(calls.map(({ caller }) => caller))).toEqual(
    new Set([...services, 'rooms', 'keda', ...(tenant.target === 'kubernetes' ? ['prepare'] : [])]),
  );
  return calls.flatMap(({ caller, service, port }) => {
    const from = network.parties.find(({ name }) => name === caller);
    const isOpen = from && engine(policies, { from, to: service, port, protocol: 'TCP' }, network);
    return isOpen ? [] : [`${caller} > ${service.name}.${service.namespace}:${port}`];
  });
}

/** A variable as its process finds it: what a Secret keeps is in the Secret that the stack makes. */
function heldValue(created: readonly Created[], { value }: Variable): string | undefined {
  if (typeof value === 'string') return value;
  const { secret, key } = value as SecretKey;
  const kept = created.find(
    ({ type, inputs }) => type === 'kubernetes:core/v1:Secret' && inputs.metadata.name === secret,
  );
  return kept?.inputs.stringData[key];
}

function serviceIn(network: Network, value: string): { service: Service; port: number } | undefined {
  const [, name, namespace, port] = /\/\/(?:[^@/]*@)?([a-z0-9-]+)\.([a-z0-9-]+)\.svc[a-z.]*:(\d+)/.exec(value) ?? [];
  if (name === undefined) return undefined;
  const service = network.services.find((one) => one.name === name && one.namespace === namespace);
  if (!service) throw new Error(`there is no Service for ${value}`);
  return { service, port: Number(port) };
}

describe('policies of 84e85df', () => {
  const vectors = JSON.parse(readFileSync(new URL('vectors/policies-84e85df.json', import.meta.url), 'utf8')) as Record<
    'kubernetes' | 'aws',
    Policy[]
  >;
  let kubernetes: World;
  let aws: World;
  beforeAll(async () => {
    kubernetes = { ...(await onKubernetes()), policies: vectors.kubernetes };
    aws = { ...(await onAws()), policies: vectors.aws };
  });

  test('keep everybody on EKS from the Service of the room servers (infra 1)', () => {
    expect(toldAndClosed(aws, beforeTranslation)).toEqual(
      services.map((one) => `${one} > rooms.parley-acme-rooms:7880`),
    );
  });

  test('keep agents on EKS from the media of rooms inside the network (infra 9)', () => {
    const missing = needed.aws.filter((way) => !openIn(aws, beforeTranslation).includes(way));
    expect(missing).toEqual(expect.arrayContaining(['agent > rooms:7881', 'agent > rooms:7882/udp']));
  });

  test.each(Object.entries(engines))(
    'keep the solver of a certificate from whoever asks: %s (infra 2)',
    (_, engine) => {
      expect(openIn(kubernetes, engine)).not.toContain('ingress > solver:8089');
    },
  );

  test('open internal ports to every pod, where engines match by address (infra 26)', () => {
    expect(openIn(kubernetes, afterTranslation)).toEqual(
      expect.arrayContaining(['neighbour > api:7801', 'neighbour > cache:6379']),
    );
  });
});
