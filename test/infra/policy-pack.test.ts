import * as aws from '@pulumi/aws';
import * as k8s from '@pulumi/kubernetes';
import * as pulumi from '@pulumi/pulumi';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { planTenant } from '../../infra/plan.ts';
import { enforcePolicies, everyRule } from '../../infra/policies/enforce.ts';
import { planAws } from '../../infra/targets/aws/plan.ts';
import { AwsTenant } from '../../infra/targets/aws/tenant.ts';
import { KubernetesTenant } from '../../infra/targets/kubernetes/tenant.ts';
import { type RunningPack, startPolicyPack } from './support/policy-pack.ts';
import { type Created, createdBy } from './support/pulumi-mocks.ts';
import { awsTenant, images, kubernetesTenant } from './support/tenants.ts';

let pack: RunningPack;
beforeAll(async () => {
  pack = await startPolicyPack();
});
afterAll(() => pack[Symbol.asyncDispose]());

const stack = 'dev';

/** What the stack's own check ends the program with, or an empty text. */
const ownRefusal = (make: () => unknown): Promise<string> =>
  createdBy(() => {
    enforcePolicies(stack, false);
    make();
  }).then(
    () => '',
    // The SDK says before it which property it was about to write, where the rule had to wait for the value.
    ({ message }: Error) => message.slice(Math.max(0, message.indexOf('Policy '))),
  );

/** The first thing that the pack forbids, in the words of the stack's own check: that one stops at the first. */
async function refusalOfPack(make: () => unknown): Promise<string> {
  for (const resource of await createdBy(make)) {
    const [first] = await pack.about(stack, resource);
    if (first) return `Policy ${first.rule} forbids ${resource.name} (${resource.type}): ${first.sentence}`;
  }
  return '';
}

const labels = { 'parley.dev/tenant': stack };
const tags = { 'parley:tenant': stack };
const metadata = { name: 'api', namespace: 'parley-dev', labels };
const container = {
  name: 'api',
  image: images.services,
  resources: { requests: { cpu: '1', memory: '1Gi' }, limits: { cpu: '1', memory: '1Gi' } },
  livenessProbe: { tcpSocket: { port: 1 } },
  readinessProbe: { tcpSocket: { port: 1 } },
  securityContext: { allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: { drop: ['ALL'] } },
};
const pod = {
  automountServiceAccountToken: false,
  securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
  containers: [container],
};
const deployed = (spec: k8s.types.input.core.v1.PodSpec) => () =>
  new k8s.apps.v1.Deployment('api', {
    metadata,
    spec: { selector: { matchLabels: labels }, template: { metadata: { labels }, spec } },
  });
const withContainer = (fields: Record<string, unknown>) =>
  deployed({ ...pod, containers: [{ ...container, ...fields }] });
const ingress = (spec: object) => () => new k8s.networking.v1.Ingress('i', { metadata, spec });
const namespace = (level: string, protect = true) => {
  const of = { name: 'parley-dev', labels: { ...labels, 'pod-security.kubernetes.io/enforce': level } };
  return () => new k8s.core.v1.Namespace('n', { metadata: of }, { protect });
};
const database = (fields: Partial<aws.rds.InstanceArgs>, protect = true) => {
  const guarded = {
    instanceClass: 'db.t4g.medium',
    publiclyAccessible: false,
    storageEncrypted: true,
    deletionProtection: true,
    backupRetentionPeriod: 14,
    skipFinalSnapshot: false,
    deleteAutomatedBackups: false,
    tags,
  };
  return () => new aws.rds.Instance('db', { ...guarded, ...fields }, { protect });
};
const grant = (action: string) => () =>
  new aws.iam.RolePolicy('grant', {
    role: 'r',
    policy: pulumi.jsonStringify({ Statement: [{ Effect: 'Allow', Action: action, Resource: 'arn:aws:s3:::x' }] }),
  });
const open = (name: string) => () =>
  new aws.vpc.SecurityGroupIngressRule(name, {
    securityGroupId: 'sg',
    cidrIpv4: '0.0.0.0/0',
    ipProtocol: 'tcp',
    fromPort: 443,
    toPort: 443,
    tags,
  });

const forbidden: [rule: string, make: () => unknown][] = [
  ['container-limits', withContainer({ resources: {} })],
  ['container-probes', withContainer({ readinessProbe: undefined })],
  ['image-by-digest', withContainer({ image: 'registry.test/parley:latest' })],
  ['restricted-pods', deployed({ ...pod, hostPID: true })],
  ['restricted-pods', withContainer({ securityContext: { ...container.securityContext, privileged: true } })],
  ['namespace-security-level', namespace('privileged')],
  ['tls-on-ingress', ingress({})],
  ['no-public-database', database({ publiclyAccessible: true })],
  ['encryption-at-rest', database({ storageEncrypted: false })],
  ['database-backups-and-protection', database({ backupRetentionPeriod: 0 })],
  ['no-open-security-group', open('database')],
  ['tagged-with-tenant', database({ tags: { 'parley:tenant': 'somebody' } })],
  ['protected-where-loss-hurts', database({}, false)],
  ['protected-where-loss-hurts', namespace('restricted', false)],
  ['no-wildcard-iam', grant('s3:*')],
];

describe("in Pulumi's own policy engine", () => {
  test.each(forbidden)('%s forbids what the stack itself forbids, in the same words', async (rule, make) => {
    const own = await ownRefusal(make);
    expect(own).toContain(`Policy ${rule} forbids`);
    expect(await refusalOfPack(make)).toBe(own);
  });

  test('every rule has a resource that it forbids', () => {
    expect(new Set(forbidden.map(([rule]) => rule))).toEqual(new Set(everyRule(stack).map(({ name }) => name)));
  });

  test.each([
    ['a pod', deployed(pod)],
    ['an ingress', ingress({ tls: [{ hosts: ['a.test'], secretName: 'c' }] })],
    ['a namespace', namespace('restricted')],
    ['a database', database({})],
    ['a grant', grant('s3:GetObject')],
    ['a balancer', open('balancer')],
  ])('%s that is guarded passes both', async (_, make) => {
    expect([await ownRefusal(make), await refusalOfPack(make)]).toEqual(['', '']);
  });

  test('whole tenants keep every rule, one by one and together', async () => {
    const onKubernetes = planTenant(kubernetesTenant());
    const onAws = planTenant(awsTenant());
    const kubernetes = await createdBy(
      () =>
        new KubernetesTenant('parley-dev', { plan: onKubernetes, folders: { agents: undefined, policies: undefined } }),
      { stack: 'dev' },
    );
    const folders = { databaseCertificate: 'PEM', agents: new Map([['desk.yaml', 'x']]), policies: undefined };
    const amazon = await createdBy(() => new AwsTenant('parley-acme', { plan: onAws, aws: planAws(onAws), folders }));
    for (const [of, created] of [
      ['dev', kubernetes],
      ['acme', amazon],
    ] as [string, Created[]][]) {
      for (const resource of created) expect(await pack.about(of, resource), resource.name).toEqual([]);
      expect(await pack.aboutAll(of, created)).toEqual([]);
      const withoutDeny = created.filter(({ type }) => !type.endsWith(':NetworkPolicy'));
      expect((await pack.aboutAll(of, withoutDeny)).map(({ rule }) => rule)).toContain('default-deny');
    }
  });

  test('a guard that is only known later is refused by the stack itself, and in a preview only advised on by the pack', async () => {
    const later = withContainer({ securityContext: pulumi.output(container.securityContext) });
    expect(await ownRefusal(later)).toContain('restricted-pods');
    const [made] = await createdBy(deployed(pod));
    if (!made) throw new Error('Nothing was created.');
    const unknown = structuredClone(made);
    unknown.inputs.spec.template.spec.containers[0].securityContext = pulumi.runtime.unknownValue;
    const answers = await pack.about(stack, unknown);
    expect(answers.map(({ rule, isMandatory }) => [rule, isMandatory])).toEqual([['restricted-pods', false]]);
  });
});
