import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readTenant } from './config.ts';
import { shortened } from './plan/names.ts';
import { rangesWithout } from './plan/traffic.ts';
import { planTenant } from './plan.ts';
import { targets } from './targets/registry.ts';
import type { Tenant } from './tenant.ts';

const digest = `sha256:${'0'.repeat(64)}`;
const image = `registry.test/x@${digest}`;
const base = {
  domain: 'acme.example.com',
  images: { services: image, roomServer: image, database: image, cache: image },
};
const ofKubernetes = {
  ...base,
  target: 'kubernetes',
  kubernetes: { context: 'here', certificateIssuer: 'letsencrypt', nodeCidrs: ['192.168.0.0/24'] },
};
const ofAws = {
  ...base,
  target: 'aws',
  aws: { hostedZone: 'example.com' },
  database: { certificateAuthority: 'rds.pem' },
};

const tenantOf = (fields: Record<string, unknown>, slug = 'acme'): Tenant =>
  readTenant(
    slug,
    Object.fromEntries(
      Object.entries(fields).map(([key, value]) => [
        `parley:${key}`,
        typeof value === 'string' ? value : JSON.stringify(value),
      ]),
    ),
  );

describe('capacity', () => {
  test('that may start cold has the API let sessions wait, as many as it declares; else none', () => {
    const told = (capacity: object) =>
      planTenant(tenantOf({ ...ofKubernetes, capacity }))
        .variables.api.filter(({ name }) => name.startsWith('PARLEY_COLD_START'))
        .map(({ value }) => value);
    expect(told({ voice: 5, text: 40, coldStart: 'allowed', coldStartSeconds: 90 })).toEqual(['90', '45']);
    expect(told({ voice: 5, text: 40 })).toEqual(['0', '45']);
  });

  test.each([
    // voice, text, cold start → agents at least, at most, sessions a pod; room servers; api, worker; redis
    [2, 20, 'never', [1, 2, 22], 1, [1, 1], false],
    [2, 20, 'allowed', [0, 2, 22], 1, [1, 1], false],
    [0, 200, 'never', [2, 2, 200], 2, [2, 2], true],
    [50, 500, 'never', [7, 10, 79], 2, [2, 2], true],
    [1000, 0, 'never', [84, 125, 12], 10, [2, 2], true],
    [0, 20000, 'allowed', [0, 143, 200], 50, [5, 2], true],
  ] as const)('%i spoken and %i written, cold start %s', (voice, text, coldStart, agents, rooms, others, cache) => {
    const plan = planTenant(tenantOf({ ...ofKubernetes, capacity: { voice, text, coldStart } }));
    expect([plan.agents.minReplicas, plan.agents.maxReplicas, plan.agents.sessionsPerPod]).toEqual(agents);
    expect(plan.rooms.replicas).toBe(rooms);
    expect([plan.api.replicas, plan.worker.replicas]).toEqual(others);
    expect(plan.cache !== undefined).toBe(cache);
  });
});

const capacities = fc
  .record({
    voice: fc.integer({ min: 0, max: 5_000 }),
    text: fc.integer({ min: 0, max: 50_000 }),
    coldStart: fc.constantFrom('never', 'allowed'),
  })
  .filter(({ voice, text }) => voice + text > 0);
const slugs = fc.stringMatching(/^[a-z]([a-z0-9-]{0,38}[a-z0-9])?$/);
const durations = fc.tuple(fc.integer({ min: 1, max: 1440 })).map(([minutes]) => `${minutes}m`);
const foundations = fc.oneof(
  fc.constant('create'),
  fc.integer({ min: 1, max: 60 }).map((slot) => ({ stack: 'acme/parley/shared', slot })),
);
const tenants = fc
  .record({
    capacity: capacities,
    slug: slugs,
    longestConversation: durations,
    foundation: foundations,
    aws: fc.boolean(),
  })
  .map(({ aws, slug, foundation, ...fields }) =>
    tenantOf({ ...(aws ? { ...ofAws, foundation } : ofKubernetes), ...fields }, slug),
  );

const holds = (property: (tenant: Tenant) => void) => fc.assert(fc.property(tenants, property), { numRuns: 300 });

describe('any tenant', () => {
  test('gets the capacity that it declared, from always-on agents when no start may be waited for', () => {
    holds((tenant) => {
      const { agents } = planTenant(tenant);
      const declared = tenant.capacity.voice + tenant.capacity.text;
      expect(agents.maxReplicas * agents.sessionsPerPod).toBeGreaterThanOrEqual(declared);
      expect(agents.fixedReplicas * agents.sessionsPerPod).toBeGreaterThanOrEqual(declared);
      if (tenant.capacity.coldStart === 'never') {
        expect(agents.minReplicas * agents.sessionsPerPod).toBeGreaterThanOrEqual(declared);
      } else {
        expect(agents.minReplicas).toBe(0);
      }
      // Autoscaling reaches its target before it reaches its end.
      expect(agents.maxReplicas * agents.targetSessionsPerPod).toBeGreaterThanOrEqual(declared);
      expect(agents.maxReplicas * agents.targetVoicePerPod).toBeGreaterThanOrEqual(tenant.capacity.voice);
    });
  });

  test('carries the voice that it declared, and no more in a pod than was measured', () => {
    holds((tenant) => {
      const { agents } = planTenant(tenant);
      expect(agents.voicePerPod).toBeLessThanOrEqual(12);
      expect(agents.fixedReplicas * agents.voicePerPod).toBeGreaterThanOrEqual(tenant.capacity.voice);
      expect(agents.minReplicas).toBeLessThanOrEqual(agents.maxReplicas);
      expect(agents.fixedReplicas).toBeLessThanOrEqual(agents.maxReplicas);
      expect(agents.warmRooms).toBeLessThanOrEqual(agents.sessionsPerPod);
      expect(agents.warmRooms).toBeGreaterThan(0);
    });
  });

  test('is drained for longer than the longest conversation, or hands conversations over', () => {
    holds((tenant) => {
      const { agents, rooms, api, worker } = planTenant(tenant);
      const longestSeconds = Number.parseInt(tenant.longestConversation, 10) * 60;
      expect(agents.handsOver).toBe(true);
      expect(agents.graceSeconds).toBeGreaterThanOrEqual(25);
      // Until 300 s after it was told to stop a conversation may begin in a room that was kept ready on it.
      if (rooms.waitsForConversations) expect(rooms.graceSeconds).toBeGreaterThan(5 + 300 + longestSeconds);
      // A server that is alone can't be waited for: its rooms are made anew within seconds.
      else expect(rooms.replicas).toBe(1);
      expect(api.graceSeconds).toBeGreaterThan(api.preStopSeconds);
      expect(worker.graceSeconds).toBeGreaterThan(0);
    });
  });

  test('has no name that is longer than what may be', () => {
    holds((tenant) => {
      const { names } = planTenant(tenant);
      for (const name of Object.values(names)) {
        expect(name.length).toBeLessThanOrEqual(63);
        expect(name).toMatch(/^[a-z]([a-z0-9-]*[a-z0-9])?$/);
      }
    });
  });

  test('has two of everything when its capacity asks for it, and what they share', () => {
    holds((tenant) => {
      const plan = planTenant(tenant);
      const { voice, text } = tenant.capacity;
      expect(plan.redundant).toBe(voice + text >= 50);
      const replicas = [plan.api.replicas, plan.worker.replicas, plan.rooms.replicas, plan.agents.fixedReplicas];
      if (plan.redundant) expect(Math.min(...replicas)).toBeGreaterThanOrEqual(2);
      if (plan.api.replicas > 1 || plan.rooms.replicas > 1) expect(plan.cache).toBeDefined();
    });
  });

  test('finds a connection to the database for every process, in a rollout, too', () => {
    holds((tenant) => {
      const { database, api, worker, agents } = planTenant(tenant);
      const inRollout = 13 * (2 * api.replicas + agents.maxReplicas + 1) + 60 * 2 * worker.replicas;
      expect(database.maxConnections).toBeGreaterThanOrEqual(inRollout);
      expect(database.resources.memoryMib).toBeGreaterThan(database.maxConnections);
    });
  });

  test('may ask for all that a rollout of all its pods takes, and not for much more (infra 7)', () => {
    holds((tenant) => {
      const { quota, api, worker, agents, rooms } = planTenant(tenant);
      const inRollout = 2 * (api.replicas + worker.replicas) + Math.ceil(1.25 * agents.maxReplicas + 1);
      expect(quota.tenant.pods).toBeGreaterThanOrEqual(inRollout);
      expect(quota.rooms.pods).toBe(2 * rooms.replicas);
      expect(quota.rooms.memoryMib).toBe(2 * rooms.replicas * rooms.resources.memoryMib);
      expect(quota.tenant.cpuMilli).toBeLessThanOrEqual(
        4_000 + 2 * (agents.maxReplicas * agents.resources.cpuMilli + 200 * (api.replicas + worker.replicas) + 2_000),
      );
    });
  });

  test('asks for no more than it may use', () => {
    holds((tenant) => {
      const { api, worker, agents, rooms, database } = planTenant(tenant);
      for (const { resources } of [api, worker, agents, rooms, database]) {
        expect(resources.cpuMilli).toBeLessThanOrEqual(resources.cpuLimitMilli);
        expect(resources.memoryMib).toBeLessThanOrEqual(resources.memoryLimitMib);
      }
    });
  });
});

test('more than a database server is made for is refused, with what to do instead (infra 25)', () => {
  const capacity = { voice: 5_000, text: 50_000 };
  const finish = (fields: object) => {
    const tenant = tenantOf({ ...fields, capacity });
    return targets[tenant.target].finish(planTenant(tenant));
  };
  expect(() => finish(ofKubernetes)).toThrow(
    /takes 16\d{3} connections .* made for 2700 at most: name one of your own/,
  );
  expect(() => finish({ ...ofAws, foundation: 'create' })).toThrow(
    /takes 16\d{3} connections .* has 10000: declare less/,
  );
  const url = 'postgres://a:b@c/d';
  expect(() => finish({ ...ofKubernetes, database: { kind: 'existing', url, adminUrl: url } })).not.toThrow();
});

test('private addresses, such as that of a Git host, are reached where network.mayReach names them, by worker and agents only', () => {
  const reaching = (network: object) =>
    planTenant(tenantOf({ ...ofKubernetes, capacity: { voice: 2, text: 20 }, network }))
      .traffic.filter(({ to }) => to.some(({ peers }) => JSON.stringify(peers).includes('"10.20.0.7/32"')))
      .map(({ app }) => app);
  expect(reaching({ mayReach: ['10.20.0.7/32'] })).toEqual(['worker', 'agent']);
  expect(reaching({})).toEqual([]);
});

test('the public internet is every address but the private ones, as ranges without exceptions', () => {
  expect(rangesWithout(['10.0.0.0/8'])).toEqual([
    ...['0.0.0.0/5', '8.0.0.0/7', '11.0.0.0/8', '12.0.0.0/6', '16.0.0.0/4', '32.0.0.0/3', '64.0.0.0/2', '128.0.0.0/1'],
  ]);
  expect(rangesWithout(['128.0.0.0/1', '0.0.0.0/2'])).toEqual(['64.0.0.0/2']);
  expect(rangesWithout([])).toEqual(['0.0.0.0/0']);
});

test('tenants that share nodes have no port in common', () => {
  const taken = new Set<number>();
  for (let slot = 0; slot <= 60; slot += 1) {
    const foundation = slot === 0 ? 'create' : { stack: 'acme/parley/shared', slot };
    const { ports } = planTenant(tenantOf({ ...ofAws, foundation, capacity: { voice: 5, text: 40 } })).rooms;
    const { relay, ...single } = ports;
    for (const port of [...Object.values(single), relay.from, relay.to]) {
      // Guests have no balancer for TURN.
      if (port === undefined) continue;
      expect(taken.has(port)).toBe(false);
      expect(port).toBeLessThan(65_536);
      taken.add(port);
    }
  }
});

test('a name that is cut is told from others by its end', () => {
  const long = 'a'.repeat(60);
  expect(shortened('short', 32)).toBe('short');
  expect(shortened(`${long}1`, 32)).toHaveLength(32);
  expect(shortened(`${long}1`, 32)).not.toBe(shortened(`${long}2`, 32));
  expect(shortened(`${'a'.repeat(24)}-${'b'.repeat(30)}`, 32)).toMatch(/^a{24}-[0-9a-f]{6}$/);
});
