import { describe, expect, test } from 'vitest';
import { guestMediaPorts } from '../../infra/plan/rooms.ts';
import { planTenant } from '../../infra/plan.ts';
import { guestFaults } from '../../infra/targets/aws/foundation.ts';
import { planAws } from '../../infra/targets/aws/plan.ts';
import { AwsTenant } from '../../infra/targets/aws/tenant.ts';
import type { Tenant } from '../../infra/tenant.ts';
import { refusalOf } from './support/aws-refusals.ts';
import { type Created, createdBy, ofType } from './support/pulumi-mocks.ts';
import { awsTenant, guestTenant } from './support/tenants.ts';

const folders = { databaseCertificate: 'PEM', agents: new Map([['desk.yaml', 'x']]), policies: undefined };

const createdFor = (tenant: Tenant): Promise<Created[]> =>
  createdBy(() => {
    const plan = planTenant(tenant);
    new AwsTenant(plan.names.prefix, { plan, aws: planAws(plan), folders });
  });

const guests = { count: 25, voice: 5, text: 40 };
const foundation = awsTenant({ guests });

test('a foundation has connections for itself and for every guest that it declares', () => {
  const own = planTenant(awsTenant()).database.maxConnections;
  const plan = planAws(planTenant(foundation));
  const ofGuest = planTenant(guestTenant()).database.maxConnections;
  expect(plan.foundation?.guests).toEqual({ ...guests, connections: ofGuest });
  expect(planTenant(foundation).database.maxConnections).toBe(own + 25 * ofGuest);
  expect(plan.foundation?.database.instanceClass).toBe('db.m7g.8xlarge');
  const tooMany = awsTenant({ guests: { count: 25, voice: 200, text: 2_000 } });
  expect(() => planAws(planTenant(tooMany))).toThrow(/parley:guests: .* the largest class has 10000/);
});

test('twenty-five guests beside each other, with all that they ask of AWS, are within its quotas', async () => {
  const [host, guest] = [await createdFor(foundation), await createdFor(guestTenant())];
  // Each of its own name; of what they share they name the same.
  const others = Array.from({ length: 24 }, (_, index) =>
    guest.map((one) => ({ ...one, name: `${one.name}-${index}`, inputs: elsewhere(one.inputs, index) })),
  );
  const living = [...host, ...others.flat()];
  const inventory = {
    ofType: (type: string) =>
      living.filter((one) => one.type === type).map(({ name, inputs }) => ({ id: name, inputs: shared(inputs) })),
    snapshots: () => [],
  };
  for (const { type, inputs } of guest.filter(({ type }) => type.startsWith('aws:')))
    expect(refusalOf({ type, before: undefined, after: shared(inputs) }, inventory)).toBeUndefined();
});

/** Another slot. */
const elsewhere = (inputs: Record<string, unknown>, index: number) => ({
  ...inputs,
  ...(typeof inputs.priority === 'number' && { priority: inputs.priority + 10 * (index + 10) }),
});

/** As if the foundation's listener and groups were those that the guest's mocks name. */
const shared = (inputs: Record<string, unknown>) => ({
  ...inputs,
  ...(inputs.listenerArn !== undefined && { listenerArn: 'listener' }),
  ...(typeof inputs.autoscalingGroupName === 'string' && {
    autoscalingGroupName: /(general|rooms-blue|rooms-green)/.exec(inputs.autoscalingGroupName)?.[0],
  }),
});

describe('a guest', () => {
  const outputs = { guests: { count: 3, voice: 5, text: 40, connections: 185 }, cidr: '10.40.0.0/16' };
  const faultsOf = (fields: Record<string, unknown>) => {
    const tenant = guestTenant(fields);
    if (tenant.foundation === 'create') throw new Error('this is no guest');
    return guestFaults({ ...tenant, foundation: tenant.foundation }, outputs);
  };

  test('that is within what the foundation declares is let in', () => {
    expect(faultsOf({})).toEqual([]);
  });

  test.each([
    [{ foundation: { stack: 'organization/parley/acme', slot: 4 } }, 'parley:foundation.slot is 4, and it has 3.'],
    [{ capacity: { voice: 6, text: 40 } }, 'parley:capacity.voice is 6, and each guest has 5.'],
    [{ capacity: { voice: 5, text: 41 } }, 'parley:capacity.text is 41, and each guest has 40.'],
    [
      { aws: { hostedZone: 'example.com', cidr: '10.50.0.0/16' } },
      'parley:aws.cidr is 10.50.0.0/16, and its network has 10.40.0.0/16.',
    ],
  ])('that asks for more is refused: %j', (fields, sentence) => {
    expect(faultsOf(fields)).toEqual([sentence]);
  });

  test('of a foundation that declares none is refused, and so is one beyond, by its preview', async () => {
    await expect(createdFor(guestTenant({ capacity: { voice: 6, text: 40 } }))).rejects.toThrow(/each guest has 5/);
    const tenant = guestTenant();
    if (tenant.foundation === 'create') throw new Error('this is no guest');
    expect(guestFaults({ ...tenant, foundation: tenant.foundation }, {})).toEqual([
      'It declares no guests: set parley:guests there, and run pulumi up.',
    ]);
  });
});

test('the media of every guest lie in the range that their foundation opens, and nothing else does', () => {
  const { from, to } = guestMediaPorts(25);
  const ports = Array.from({ length: 25 }, (_, index) => index + 1).flatMap((slot) => {
    const { mediaTcp, mediaUdp } = planTenant(guestTenant({ foundation: { stack: 'organization/parley/acme', slot } }))
      .rooms.ports;
    return [mediaTcp, mediaUdp];
  });
  expect([Math.min(...ports), Math.max(...ports)]).toEqual([from, to]);
  expect(new Set(ports).size).toBe(to - from + 1);
});

test('a foundation keeps the passwords of its guests apart from its own', async () => {
  const created = await createdFor(awsTenant({ guests: { count: 2, voice: 5, text: 40 } }));
  const users = ofType(created, 'aws:elasticache/user:User').map(({ inputs }) => inputs);
  expect(users.map(({ userName }) => userName)).toEqual(['slot-0', 'slot-1', 'slot-2']);
  expect(new Set(users.map(({ authenticationMode }) => authenticationMode.passwords[0])).size).toBe(3);
  for (const { accessString } of users) expect(accessString).toContain('-@dangerous');
});

test('a slot that is given back takes its passwords along; those of the stack’s own go only if it says that its data may', async () => {
  const isProtected = async (tenant: Tenant) => {
    const stashes = ofType(await createdFor(tenant), 'pulumi:index:Stash').filter(({ name }) =>
      /password|-(database|cache)$/.test(name),
    );
    const byOwner = (ofGuests: boolean) => {
      const those = stashes.filter(({ name }) => name.includes('-guests-') === ofGuests);
      return [those.length, ...new Set(those.map((stash) => stash.isProtected))];
    };
    return { guests: byOwner(true), own: byOwner(false) };
  };
  const two = { guests: { ...guests, count: 2 } };
  // The engine deletes nothing that is protected, so a smaller count would never come about.
  expect(await isProtected(awsTenant(two))).toEqual({ guests: [4, false], own: [4, true] });
  expect(await isProtected(awsTenant({ ...two, mayErase: 'acme' }))).toEqual({ guests: [4, false], own: [4, false] });
});
