import { expect, test } from 'vitest';
import { planTenant } from '../../infra/plan.ts';
import { planAws } from '../../infra/targets/aws/plan.ts';
import { AwsTenant } from '../../infra/targets/aws/tenant.ts';
import { KubernetesTenant } from '../../infra/targets/kubernetes/tenant.ts';
import type { Tenant } from '../../infra/tenant.ts';
import { createdBy } from './support/pulumi-mocks.ts';
import { awsTenant, guestTenant, images, kubernetesTenant, large } from './support/tenants.ts';

const folders = { databaseCertificate: 'PEM', agents: undefined, policies: undefined };

/** Whom the processes log in as, in everything that a stack makes. */
async function loginsOf(tenant: Tenant): Promise<string[]> {
  const plan = planTenant(tenant);
  const created = await createdBy(() =>
    tenant.target === 'aws'
      ? new AwsTenant(plan.names.prefix, { plan, aws: planAws(plan), folders })
      : new KubernetesTenant(plan.names.prefix, { plan, folders }),
  );
  const said = JSON.stringify(created.map(({ inputs }) => inputs)).matchAll(/postgres:\/\/(\w+):/g);
  return [...new Set([...said].map(([, login = '']) => login))].filter((login) => !/_(admin|server)$/.test(login));
}

const cloudNativePg = { ...large, images, database: { kind: 'cloudnativepg' } };

test.each([
  ['on Kubernetes', kubernetesTenant, {}, 'parley'],
  ['on Kubernetes by CloudNativePG', kubernetesTenant, cloudNativePg, 'parley'],
  ['on AWS', awsTenant, {}, 'parley_acme'],
  ['of a guest', guestTenant, {}, 'guest_3'],
] as const)(
  'another password of the services %s comes with a login of its own, beside the one of before',
  async (_, tenantWith, fields, role) => {
    expect(await loginsOf(tenantWith(fields))).toEqual([role]);
    expect(await loginsOf(tenantWith({ ...fields, rotation: { databasePassword: 3 } }))).toEqual([`${role}_login_3`]);
  },
);
