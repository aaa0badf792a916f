import { describe, expect, test } from 'vitest';
import { consequencesOf } from '../../infra/changes/consequences.ts';
import { consequencesOfRun, secondRuns } from '../../infra/changes/second-runs.ts';
import { planTenant } from '../../infra/plan.ts';
import { planAws } from '../../infra/targets/aws/plan.ts';
import { AwsTenant } from '../../infra/targets/aws/tenant.ts';
import { KubernetesTenant } from '../../infra/targets/kubernetes/tenant.ts';
import { targets } from '../../infra/targets/registry.ts';
import type { Tenant } from '../../infra/tenant.ts';
import { type Created, createdBy } from './support/pulumi-mocks.ts';
import { awsTenant, images, kubernetesTenant, large, withPhone } from './support/tenants.ts';

const foldersWith = (agents: string) => ({
  databaseCertificate: 'PEM',
  agents: new Map([['desk.yaml', agents]]),
  policies: undefined,
});

/** With the same kept secrets each time, as one stack has them. */
const createdFor = (tenant: Tenant, agents: string): Promise<Created[]> =>
  createdBy(
    () => {
      const plan = planTenant(tenant);
      const folders = foldersWith(agents);
      if (tenant.target === 'kubernetes') new KubernetesTenant(plan.names.prefix, { plan, folders });
      else new AwsTenant(plan.names.prefix, { plan, aws: planAws(plan), folders });
    },
    { stack: tenant.slug, stashed: kept },
  );

const keptAs = (name: string) =>
  name.endsWith('-keys') ? `k1:${Buffer.alloc(32, name).toString('base64')}` : `kept ${name}`;

/** The cluster is known by what it says itself. */
const kept = new Proxy<Record<string, unknown>>(
  {},
  { get: (_, name) => keptAs(String(name)), has: (_, name) => name !== 'cluster' },
);

/** By part: what of it was made before and after, as far as another one starts it anew. */
function templatesIn(created: readonly Created[]): Map<string, string> {
  const templates = created.flatMap(({ type, inputs }) => {
    const template = inputs.spec?.template ?? (type.endsWith(':Cluster') ? inputs.spec : undefined);
    return type.startsWith('kubernetes:') && template ? [[partOf(inputs), JSON.stringify(template)] as const] : [];
  });
  const servers = created
    .filter(({ type }) => type === 'aws:rds/instance:Instance')
    .map(({ inputs: { identifier, instanceClass, engineVersion } }) => {
      return ['database', `${identifier} ${instanceClass} ${engineVersion}`] as const;
    });
  return new Map([...templates, ...servers]);
}

const partOf = (inputs: { metadata: { name?: string; labels?: Record<string, string> } }): string =>
  inputs.metadata.labels?.['app.kubernetes.io/name'] ?? inputs.metadata.name ?? '';

const startsAnew = ['rolls', 'one by one', 'restarts', 'fails over', 'runs', 'is made anew'];
const ofPods = ['prepare', 'rooms', 'api', 'worker', 'agent', 'phone', 'database', 'cache'];

/** What the words of a preview say of it. */
function toldAnew(before: Tenant, after: Tenant, agents: string): string[] {
  const partsOf = (tenant: Tenant, text: string) =>
    targets[tenant.target].finish(planTenant(tenant)).parts(foldersWith(text));
  const [old, fresh] = [partsOf(before, 'one'), partsOf(after, agents)];
  const nameOf = new Map([...old, ...fresh].map(({ name, what }) => [what, name]));
  return consequencesOf(old, fresh)
    .filter(({ way, because }) => because.length > 0 && startsAnew.includes(way))
    .map(({ what }) => nameOf.get(what) ?? what)
    .filter((name) => ofPods.includes(name))
    .sort();
}

const { services, roomServer } = images;
const tenants = {
  kubernetes: kubernetesTenant({ ...large, ...withPhone(images, { calls: 20 }) }),
  aws: awsTenant(withPhone({ services, roomServer }, { calls: 20 })),
};

/** What runs in a cluster is the same for both, so that of AWS a row is enough but for `npm run soak -- infra`. */
const isTriedOn = (target: Tenant['target'], index: number) =>
  target === 'kubernetes' || index === 2 || process.env.SOAK_INFRA !== undefined;

describe.each(['kubernetes', 'aws'] as const)('on %s', (target) => {
  const before = tenants[target];
  let old: Map<string, string> | undefined;
  // What infra/versions.ts raises is in no configuration, so that there are no resources of it to compare.
  const runs = secondRuns.filter(
    ({ on, raised }, index) =>
      (on === target || (on === undefined && isTriedOn(target, index))) && raised === undefined,
  );

  test.each(runs.map((run) => [run.what, run] as const))(
    '%s: the preview names what starts anew, and nothing else',
    async (_, run) => {
      const after = { ...before, ...run.fields?.(before) };
      const agents = run.agents ? 'another' : 'one';
      old ??= templatesIn(await createdFor(before, 'one'));
      const earlier = old;
      const fresh = templatesIn(await createdFor(after, agents));
      const changed = [...fresh.keys()].filter((name) => earlier.has(name) && earlier.get(name) !== fresh.get(name));
      expect(toldAnew(before, after, agents)).toEqual(changed.sort());
    },
  );

  test('nobody is cut by any of them, but by what is never to be done', () => {
    const cutting = secondRuns
      .filter(({ on }) => on === undefined || on === target)
      .filter((run) => consequencesOfRun(run, before).some(({ cuts }) => cuts));
    expect(cutting.map(({ what }) => what)).toEqual(
      target === 'aws' ? ['nodes for rooms of the active colour (**never do it**)'] : [],
    );
  });
});

test('more capacity leaves the pod of the only PostgreSQL as it is (infra 26)', async () => {
  const template = async (fields: Record<string, unknown>) => {
    const created = await createdFor(kubernetesTenant(fields), 'one');
    const server = created.find(({ type }) => type === 'kubernetes:apps/v1:StatefulSet');
    return server?.inputs.spec.template;
  };
  expect(await template({ capacity: { voice: 60, text: 400 } })).toEqual(await template({}));
});

test('the room servers of a guest go their own way, and its foundation has no part in it', () => {
  const guest = { ...awsTenant(), foundation: { stack: 'organization/parley/acme', slot: 3 } } as Tenant;
  const image = secondRuns.find(({ what }) => what === "the room server's version");
  expect(image && consequencesOfRun(image, guest).map(({ what }) => what)).toEqual(['room servers']);
});
