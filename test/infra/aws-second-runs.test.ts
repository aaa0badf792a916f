import { beforeAll, describe, expect, test } from 'vitest';
import { planTenant } from '../../infra/plan.ts';
import { enforcePolicies } from '../../infra/policies/enforce.ts';
import { planAws } from '../../infra/targets/aws/plan.ts';
import { AwsTenant } from '../../infra/targets/aws/tenant.ts';
import type { Tenant } from '../../infra/tenant.ts';
import { engines } from '../../infra/versions.ts';
import { type Created, createdBy, ofType } from './support/pulumi-mocks.ts';
import { refusedAt } from './support/second-run.ts';
import { awsTenant } from './support/tenants.ts';

const folders = { databaseCertificate: 'PEM', agents: new Map([['desk.yaml', 'x']]), policies: undefined };

const createdFor = (tenant: Tenant): Promise<Created[]> =>
  createdBy(() => {
    enforcePolicies(tenant.slug);
    const plan = planTenant(tenant);
    new AwsTenant(plan.names.prefix, { plan, aws: planAws(plan), folders });
  });

const capacity = (voice: number, text: number) => ({ capacity: { voice, text, coldStart: 'never' } });

const [small, middle, large] = [capacity(2, 20), capacity(50, 500), capacity(500, 5_000)];
const made = new Map<object, Created[]>();
const madeFor = (fields: object) => made.get(fields) ?? [];

beforeAll(async () => {
  for (const fields of [small, middle, large]) made.set(fields, await createdFor(awsTenant(fields)));
});

const next = Number(engines.postgres.version) + 1;

/** What another `engines.postgres` changes. */
function nextPostgres({ type }: Created): Record<string, string> {
  if (type === 'aws:rds/instance:Instance') return { engineVersion: String(next) };
  return type === 'aws:rds/parameterGroup:ParameterGroup' ? { family: `postgres${next}` } : {};
}

describe('an up', () => {
  test('on an empty account asks nothing of AWS that it refuses', () => {
    expect(refusedAt([], madeFor(middle))).toEqual([]);
  });

  test.each([
    ['more capacity', middle, large],
    ['less capacity', large, small],
    ['two of everything', small, middle],
  ])('with %s asks nothing of AWS that it refuses', (_, before, after) => {
    expect(refusedAt(madeFor(before), madeFor(after))).toEqual([]);
  });

  test('with the next major version of PostgreSQL asks nothing of AWS that it refuses', () => {
    const raised = madeFor(middle).map((created) => ({
      ...created,
      inputs: { ...created.inputs, ...nextPostgres(created) },
    }));
    expect(raised).not.toEqual(madeFor(middle));
    expect(refusedAt(madeFor(middle), raised)).toEqual([]);
  });

  test('finds any number of nodes that the autoscaler made within bounds: they are the same for every capacity', () => {
    const boundsOf = (fields: object) =>
      ofType(madeFor(fields), 'aws:eks/nodeGroup:NodeGroup').map(({ name, inputs: { scalingConfig } }) => [
        name,
        scalingConfig.minSize,
        scalingConfig.maxSize,
      ]);
    expect(boundsOf(large)).toEqual(boundsOf(small));
  });
});
