import { beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { bridgeConfiguration } from '../../infra/bridge-configuration.ts';
import { consequencesOf } from '../../infra/changes/consequences.ts';
import { planTenant } from '../../infra/plan.ts';
import { planAws } from '../../infra/targets/aws/plan.ts';
import { AwsTenant } from '../../infra/targets/aws/tenant.ts';
import { KubernetesTenant } from '../../infra/targets/kubernetes/tenant.ts';
import { targets } from '../../infra/targets/registry.ts';
import type { Tenant } from '../../infra/tenant.ts';
import { type Created, createdBy, ofType } from './support/pulumi-mocks.ts';
import { awsTenant, guestTenant, images, kubernetesTenant, large, withPhone } from './support/tenants.ts';

const onKubernetes = (phone: object = {}, fields: object = {}) =>
  kubernetesTenant({ ...fields, ...withPhone(images, { ...phone }) });
const ofAws = { services: images.services, roomServer: images.roomServer };

describe('a telephone', () => {
  test('is nothing where none is declared', () => {
    for (const tenant of [kubernetesTenant(large), awsTenant()]) {
      const plan = planTenant(tenant);
      expect([plan.phone, plan.quota.phone]).toEqual([undefined, undefined]);
      const parts = targets[tenant.target]
        .finish(plan)
        .parts({ agents: undefined, policies: undefined, databaseCertificate: undefined });
      expect(parts.map(({ name }) => name)).not.toContain('phone');
    }
  });

  test.each([
    // calls, spoken conversations → bridges, ports of media
    [2, 2, 1, 20],
    [8, 50, 2, 20],
    [50, 50, 2, 100],
    [51, 100, 3, 100],
    [500, 500, 11, 100],
  ])('for %i calls of %i conversations is %i bridges, each with %i ports', (calls, voice, bridges, ports) => {
    const { phone } = planTenant(onKubernetes({ calls }, { capacity: { voice, text: 20 } }));
    expect(phone?.replicas).toBe(bridges);
    const { from, to } = phone?.ports.media ?? { from: 0, to: 0 };
    expect(to - from + 1).toBe(ports);
    // Below what Kubernetes gives Services (30000-32767), and what TURN and the kernel take.
    expect(to).toBeLessThan(20_000);
  });

  test('has room for all its calls while one bridge waits for its last', () => {
    const { phone } = planTenant(onKubernetes({ calls: 120 }, { capacity: { voice: 120, text: 0 } }));
    expect(((phone?.replicas ?? 0) - 1) * (phone?.callsPerBridge ?? 0)).toBeGreaterThanOrEqual(120);
  });

  test('makes one room server and the API one with it by Redis', () => {
    expect(planTenant(kubernetesTenant()).cache).toBeUndefined();
    const plan = planTenant(onKubernetes());
    expect(plan.cache).toBeDefined();
    expect(plan.variables.api.map(({ name }) => name)).toContain('REDIS_URL');
  });

  test('ends no call when it is told to stop', () => {
    const plan = planTenant(onKubernetes({}, { longestConversation: '2h' }));
    expect(plan.phone?.graceSeconds).toBeGreaterThanOrEqual(2 * 3_600);
  });
});

describe('the bridge is told', () => {
  const told = (tenant: Tenant) => {
    const plan = planTenant(tenant);
    if (!plan.phone) throw new Error('it has no telephone');
    return parse(
      bridgeConfiguration(
        { phone: plan.phone, addresses: plan.addresses },
        { key: 'key', secret: 'x', cacheUrl: 'redis://:word@cache.test:6379/0' },
      ),
    );
  };

  test('to enter rooms by the door of the API, and to keep numbers out of its log', () => {
    expect(told(onKubernetes())).toEqual({
      ...{ api_key: 'key', api_secret: 'x', ws_url: 'ws://api-internal.parley-dev.svc.cluster.local:7801/bridge/7886' },
      redis: { address: 'cache.test:6379', password: 'word', db: 0 },
      ...{ sip_port: 5060, rtp_port: '10000-10019', health_port: 7886, prometheus_port: 7887 },
      ...{ use_external_ip: false, local_net: '192.168.0.0/24', max_active_calls: 2 },
      ...{ rtp_draining_duration: '60s', logging: { level: 'fatal', json: true } },
    });
  });

  test('to find out its public address on AWS', () => {
    const { use_external_ip, local_net } = told(awsTenant(withPhone(ofAws)));
    expect([use_external_ip, local_net]).toEqual([true, undefined]);
  });
});

describe('a stack is refused', () => {
  test('that lacks the image, the cache, or conversations for its calls', () => {
    const { sipBridge: _, ...withoutBridge } = withPhone(images).images;
    const { cache: __, ...withoutCache } = withPhone(images).images;
    expect(() => kubernetesTenant({ ...withPhone(images), images: withoutBridge })).toThrow('parley:images.sipBridge');
    expect(() => kubernetesTenant({ ...withPhone(images), images: withoutCache })).toThrow('parley:images.cache');
    expect(() => onKubernetes({ calls: 3 })).toThrow('parley:phone.calls');
  });

  test('that is a guest, whose ports are its foundation’s', () => {
    expect(() => guestTenant(withPhone(ofAws))).toThrow('parley:phone');
  });

  test('whose carriers are nobody', () => {
    expect(() => onKubernetes({ carriers: [] })).toThrow('parley:phone.carriers');
  });
});

describe('a second run', () => {
  const folders = { agents: undefined, policies: undefined, databaseCertificate: undefined };
  const partsOf = (tenant: Tenant) => targets[tenant.target].finish(planTenant(tenant)).parts(folders);
  const changed = (before: Tenant, after: Tenant) =>
    consequencesOf(partsOf(before), partsOf(after)).filter(({ what }) => /SIP/.test(what));

  test('with another image cuts no call, and says whether others take new ones', () => {
    const another = { sipBridge: `livekit/sip@sha256:${'f'.repeat(64)}` };
    const many = onKubernetes({ calls: 50 }, large);
    const [several] = changed(many, { ...many, images: { ...many.images, ...another } });
    expect([several?.cuts, several?.noticed]).toEqual([false, expect.stringContaining('the others take new ones')]);
    const one = onKubernetes();
    const [alone] = changed(one, { ...one, images: { ...one.images, ...another } });
    expect([alone?.cuts, alone?.noticed]).toEqual([false, expect.stringContaining('nobody else can call until then')]);
  });

  test('with another carrier restarts nothing', () => {
    const [consequence] = changed(onKubernetes(), onKubernetes({ carriers: ['198.51.100.0/24'] }));
    expect([consequence?.way, consequence?.cuts]).toEqual(['in place', false]);
  });
});

test('bridges have nodes of their own number, a balancer in what AWS costs, and no more', () => {
  const groupOf = (tenant: Tenant) => {
    const { cost } = targets.aws.finish(planTenant(tenant));
    return cost?.floor.find(({ what }) => what.includes('nodes for rooms'))?.what;
  };
  const few = awsTenant(withPhone(ofAws, { calls: 50 }));
  expect(groupOf(few)).toBe(groupOf(awsTenant()));
  const costOf = (tenant: Tenant) => targets.aws.finish(planTenant(tenant)).cost?.monthlyFloorUsd ?? 0;
  expect(costOf(few) - costOf(awsTenant())).toBeCloseTo((0.0252 + 3 * 0.005) * 730, 1);
});

const objects = (tenant: Tenant): Promise<Created[]> =>
  createdBy(() => {
    const plan = planTenant(tenant);
    const folders = { databaseCertificate: 'PEM', agents: new Map([['desk.yaml', 'x']]), policies: undefined };
    if (tenant.target === 'kubernetes') new KubernetesTenant(plan.names.prefix, { plan, folders });
    else new AwsTenant(plan.names.prefix, { plan, aws: planAws(plan), folders });
  });
const ids = (created: readonly Created[]) => created.map(({ type, name }) => `${type} ${name}`);

describe('on a cluster of somebody else', () => {
  const watched = { ...large, monitoring: { prometheusOperator: true, grafanaDashboards: true } };
  let created: Created[];
  beforeAll(async () => {
    created = await objects(onKubernetes({ calls: 20 }, watched));
  });

  test('a telephone adds a namespace with bridges, and changes nothing else but the monitoring’s rules', async () => {
    const without = await objects(kubernetesTenant(watched));
    expect(
      ids(created)
        .filter((id) => !ids(without).includes(id))
        .sort(),
    ).toEqual([
      'kubernetes:admissionregistration.k8s.io/v1:ValidatingAdmissionPolicy parley-dev-phone-admission',
      'kubernetes:admissionregistration.k8s.io/v1:ValidatingAdmissionPolicyBinding parley-dev-phone-admission',
      'kubernetes:apps/v1:Deployment parley-dev-phone',
      'kubernetes:core/v1:Namespace parley-dev-phone',
      'kubernetes:core/v1:ResourceQuota parley-dev-phone-priority',
      'kubernetes:core/v1:ResourceQuota parley-dev-phone-quota',
      'kubernetes:core/v1:Secret parley-dev-phone-configuration',
      'kubernetes:monitoring.coreos.com/v1:PodMonitor parley-dev-monitoring-phone',
      'kubernetes:policy/v1:PodDisruptionBudget parley-dev-phone',
      'parley:kubernetes:RoomAdmission parley-dev-phone-admission',
      'parley:kubernetes:SipBridge parley-dev-phone',
    ]);
    expect(ids(without).filter((id) => !ids(created).includes(id))).toEqual([]);
    expect(JSON.stringify(without)).not.toMatch(/-phone|livekit_sip|sipBridge/);
  });

  test('a bridge shares its node’s network, keeps its calls when it is told to stop, and one stays while another goes', () => {
    const phone = ofType(created, 'kubernetes:apps/v1:Deployment').find(({ name }) => name === 'parley-dev-phone');
    const { replicas, strategy, template } = phone?.inputs.spec ?? {};
    expect([replicas, strategy.rollingUpdate]).toEqual([2, { maxUnavailable: 1, maxSurge: 0 }]);
    expect(template.spec).toMatchObject({
      ...{ hostNetwork: true, automountServiceAccountToken: false, terminationGracePeriodSeconds: 3_960 },
    });
    const [container] = template.spec.containers;
    // One that waits for its last call answers 503: it is not ready, and must not be killed for it.
    expect([container.readinessProbe.httpGet.port, container.livenessProbe.tcpSocket.port]).toEqual([7_886, 7_886]);
    expect([container.env, container.args, container.command]).toEqual([undefined, undefined, undefined]);
    expect(ids(created)).toContain('kubernetes:policy/v1:PodDisruptionBudget parley-dev-phone');
  });
});

describe('on AWS', () => {
  let created: Created[];
  beforeAll(async () => {
    created = await objects(awsTenant(withPhone(ofAws, { calls: 20, media: ['198.51.100.0/24'] })));
  });

  test('carriers reach the bridges, by a balancer and by their nodes, and nobody else does', () => {
    const opened = ofType(created, 'aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule')
      .filter(({ name }) => name.includes('-phone-'))
      .map(({ inputs: { securityGroupId, ipProtocol, fromPort, toPort, cidrIpv4, referencedSecurityGroupId } }) =>
        [securityGroupId, ipProtocol, `${fromPort}-${toPort}`, cidrIpv4 ?? referencedSecurityGroupId].join(' '),
      );
    expect(opened.sort()).toEqual([
      'parley-acme-phone-balancer-id tcp 5060-5060 203.0.113.16/28',
      'parley-acme-phone-balancer-id udp 5060-5060 203.0.113.16/28',
      'parley-acme-rooms-id tcp 5060-5060 203.0.113.16/28',
      'parley-acme-rooms-id tcp 7886-7886 parley-acme-phone-balancer-id',
      'parley-acme-rooms-id udp 10000-10039 198.51.100.0/24',
      'parley-acme-rooms-id udp 5060-5060 203.0.113.16/28',
    ]);
  });

  test('calls come to a name of their own, and to bridges that take some', () => {
    const records = ofType(created, 'aws:route53/record:Record').map(({ inputs }) => inputs.name);
    expect(records).toContain('sip.acme.example.com');
    const targets = ofType(created, 'aws:lb/targetGroup:TargetGroup').find(({ inputs }) => inputs.port === 5_060);
    expect(targets?.inputs).toMatchObject({ protocol: 'TCP_UDP', healthCheck: { port: '7886', matcher: '200' } });
  });

  test('nothing of it is there without a telephone', async () => {
    expect(JSON.stringify(await objects(awsTenant()))).not.toMatch(/-phone|livekit_sip|sipBridge|5060/);
  });
});
