import { beforeAll, describe, expect, test } from 'vitest';
import { planTenant } from '../../infra/plan.ts';
import { enforcePolicies } from '../../infra/policies/enforce.ts';
import { planAws } from '../../infra/targets/aws/plan.ts';
import { AwsTenant } from '../../infra/targets/aws/tenant.ts';
import type { Tenant } from '../../infra/tenant.ts';
import { charts, clusters, type RoomColour, roomNodes } from '../../infra/versions.ts';
import { chartFaults } from './support/charts.ts';
import { type Created, createdBy, ofType } from './support/pulumi-mocks.ts';
import { awsTenant, guestTenant } from './support/tenants.ts';

const folders = { databaseCertificate: 'PEM', agents: new Map([['desk.yaml', 'x']]), policies: undefined };

/** With every policy in force. */
const createdFor = (tenant: Tenant): Promise<Created[]> =>
  createdBy(() => {
    enforcePolicies(tenant.slug);
    const plan = planTenant(tenant);
    new AwsTenant(plan.names.prefix, { plan, aws: planAws(plan), folders });
  });

const one = (created: readonly Created[], type: string, name?: string) => {
  const found = ofType(created, type).filter((resource) => name === undefined || resource.name === name);
  expect(found, `${type} ${name ?? ''}`).toHaveLength(1);
  return found[0]?.inputs;
};

const ingress = 'aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule';

describe('a tenant with its own foundation', () => {
  let created: Created[];
  beforeAll(async () => {
    created = await createdFor(awsTenant());
  });

  test('has a network over three zones in which only public subnets have public addresses', () => {
    const subnets = ofType(created, 'aws:ec2/subnet:Subnet').map(({ inputs }) => inputs);
    expect(subnets.map(({ cidrBlock, mapPublicIpOnLaunch }) => [cidrBlock, mapPublicIpOnLaunch])).toEqual([
      ['10.40.64.0/18', false],
      ['10.40.128.0/18', false],
      ['10.40.192.0/18', false],
      ['10.40.0.0/20', true],
      ['10.40.16.0/20', true],
      ['10.40.32.0/20', true],
    ]);
    expect(new Set(subnets.map(({ availabilityZone }) => availabilityZone)).size).toBe(3);
    expect(ofType(created, 'aws:ec2/natGateway:NatGateway')).toHaveLength(3);
  });

  test('has a cluster whose network policies are enforced and whose API is open to its operator only', () => {
    expect(one(created, 'aws:eks/cluster:Cluster')).toMatchObject({
      name: 'parley-acme',
      vpcConfig: { endpointPrivateAccess: true, endpointPublicAccess: true, publicAccessCidrs: ['203.0.113.0/24'] },
      encryptionConfig: { resources: ['secrets'] },
    });
    const cni = ofType(created, 'aws:eks/addon:Addon').find(({ inputs }) => inputs.addonName === 'vpc-cni')?.inputs;
    expect(JSON.parse(cni.configurationValues)).toEqual({ enableNetworkPolicy: 'true' });
  });

  test('has two groups of nodes for rooms on public subnets, one for agents by capacity, and one for the rest', () => {
    const groups = ofType(created, 'aws:eks/nodeGroup:NodeGroup').map(({ inputs }) => inputs);
    expect(groups.map(({ labels, scalingConfig }) => [labels['parley.dev/nodes'], scalingConfig.desiredSize])).toEqual([
      ['agents', 2],
      ['general', 3],
      ['rooms', 2],
      ['rooms', 0],
    ]);
    for (const group of groups.slice(2))
      expect(group).toMatchObject({
        subnetIds: ['parley-acme-public-0-id', 'parley-acme-public-1-id', 'parley-acme-public-2-id'],
        taints: [{ key: 'parley.dev/nodes', value: 'rooms', effect: 'NO_SCHEDULE' }],
      });
    for (const { inputs } of ofType(created, 'aws:ec2/launchTemplate:LaunchTemplate'))
      expect(inputs.metadataOptions).toMatchObject({ httpTokens: 'required', httpPutResponseHopLimit: 1 });
  });

  test('has nodes and add-ons of the versions that belong to its cluster', () => {
    const { version, upgradePolicy } = one(created, 'aws:eks/cluster:Cluster') ?? {};
    expect(upgradePolicy).toEqual({ supportType: 'STANDARD' });
    const row = clusters[version];
    const addOns = ofType(created, 'aws:eks/addon:Addon').map(({ inputs }) => [inputs.addonName, inputs.addonVersion]);
    expect(Object.fromEntries(addOns)).toEqual(row?.addOns);
    for (const { inputs } of ofType(created, 'aws:eks/nodeGroup:NodeGroup')) {
      const image =
        inputs.labels['parley.dev/nodes'] === 'rooms'
          ? roomNodes[inputs.labels['parley.dev/rooms'] as RoomColour]
          : row?.nodes;
      expect([inputs.version, inputs.releaseVersion]).toEqual([image?.kubernetes, image?.release]);
    }
    const autoscaler = one(created, 'kubernetes:helm.sh/v3:Release', 'parley-acme-autoscaler');
    expect(autoscaler?.values).toMatchObject({ image: { tag: row?.autoscaler }, awsRegion: 'eu-west-1' });
  });

  test('gives its charts values that they take, and each cluster’s autoscaler the rights that its version asks for', () => {
    const releases = ofType(created, 'kubernetes:helm.sh/v3:Release').map(({ inputs }) => inputs);
    expect(releases.map(({ chart }) => chart).sort()).toEqual(['cluster-autoscaler', 'keda']);
    for (const release of releases) {
      expect(chartFaults(release)).toEqual([]);
      expect(chartFaults({ ...release, values: { ...release.values, autoDiscover: {} } })).toHaveLength(1);
      expect(chartFaults({ ...release, version: '0.0.1' })).toHaveLength(1);
    }
    for (const { autoscaler } of Object.values(clusters))
      expect(minorOf(autoscaler), 'infra/versions.ts: raise charts.autoscaler with it').toBe(
        minorOf(charts.autoscaler.app),
      );
  });

  test('has its room servers on nodes of one colour, which no autoscaler takes away while a server runs there', () => {
    const rooms = ofType(created, 'kubernetes:apps/v1:Deployment').find(
      ({ inputs }) => inputs.metadata.name === 'rooms',
    );
    const { metadata, spec } = rooms?.inputs.spec.template ?? {};
    expect(spec.nodeSelector).toEqual({ 'parley.dev/nodes': 'rooms', 'parley.dev/rooms': roomNodes.active });
    expect(metadata.annotations['cluster-autoscaler.kubernetes.io/safe-to-evict']).toBe('false');
    const groups = ofType(created, 'aws:eks/nodeGroup:NodeGroup').filter(
      ({ inputs }) => inputs.labels['parley.dev/rooms'] !== undefined,
    );
    const withNodes = groups.filter(({ inputs }) => inputs.scalingConfig.desiredSize > 0);
    expect(withNodes.map(({ inputs }) => inputs.labels['parley.dev/rooms'])).toEqual([roomNodes.active]);
    expect(groups).toHaveLength(2);
  });

  test('leaves no logs behind that nobody owns, and gives its nodes no right over addresses', () => {
    const groups = ofType(created, 'aws:cloudwatch/logGroup:LogGroup').map(({ inputs }) => inputs.name);
    expect(groups).toEqual(['/aws/eks/parley-acme/cluster', '/aws/rds/instance/parley-acme/postgresql']);
    const policies = ofType(created, 'aws:iam/rolePolicyAttachment:RolePolicyAttachment').map(({ name }) => name);
    expect(policies.filter((name) => name.includes('CNI'))).toEqual(['parley-acme-network-AmazonEKS_CNI_Policy']);
    expect(policies.filter((name) => name.startsWith('parley-acme-nodes-'))).toHaveLength(2);
  });

  test('is reached by kubectl wherever the operator is, and by others whom the stack names', async () => {
    const provider = one(created, 'pulumi:providers:kubernetes', 'parley-acme');
    expect(JSON.parse(provider?.kubeconfig).users[0].user.exec.args).toEqual([
      '--region',
      'eu-west-1',
      'eks',
      'get-token',
      '--cluster-name',
      'parley-acme',
    ]);
    const arn = 'arn:aws:iam::123456789012:role/operators';
    const shared = await createdFor(awsTenant({ aws: { hostedZone: 'example.com', operators: [arn] } }));
    expect(one(shared, 'aws:eks/accessEntry:AccessEntry')).toMatchObject({
      principalArn: arn,
      clusterName: 'parley-acme',
    });
    expect(one(shared, 'aws:eks/accessPolicyAssociation:AccessPolicyAssociation')).toMatchObject({
      policyArn: 'arn:aws:eks::aws:cluster-access-policy/AmazonEKSClusterAdminPolicy',
      accessScope: { type: 'cluster' },
    });
  });

  test('has a database that is kept: a standby, backups, TLS only, nothing public', () => {
    expect(one(created, 'aws:rds/instance:Instance')).toMatchObject({
      engine: 'postgres',
      multiAz: true,
      publiclyAccessible: false,
      storageEncrypted: true,
      backupRetentionPeriod: 14,
      deletionProtection: true,
      skipFinalSnapshot: false,
      deleteAutomatedBackups: false,
      applyImmediately: true,
      finalSnapshotIdentifier: expect.stringMatching(/^parley-acme-final-[0-9a-f]{8}$/),
    });
    const { parameters } = one(created, 'aws:rds/parameterGroup:ParameterGroup');
    expect(parameters).toContainEqual({ name: 'rds.force_ssl', value: '1', applyMethod: 'immediate' });
    expect(one(created, 'aws:elasticache/replicationGroup:ReplicationGroup')).toMatchObject({
      engine: 'valkey',
      transitEncryptionEnabled: true,
      automaticFailoverEnabled: true,
    });
  });

  test('opens 443 and 80 of the balancers and the media of rooms to everybody, and nothing else', () => {
    const open = ofType(created, ingress).filter(({ inputs }) => inputs.cidrIpv4 === '0.0.0.0/0');
    expect(open.map(({ inputs }) => `${inputs.ipProtocol} ${inputs.fromPort}-${inputs.toPort}`).sort()).toEqual([
      'tcp 443-443',
      'tcp 443-443',
      'tcp 7881-7881',
      'tcp 80-80',
      'udp 7882-7882',
    ]);
  });

  test('leads /rtc to room servers and everything else to the API, by targets that are in the plan', () => {
    const rules = ofType(created, 'aws:lb/listenerRule:ListenerRule')
      .map(({ inputs }) => inputs)
      .sort((a, b) => a.priority - b.priority);
    expect(rules.map(({ priority, conditions, actions }) => [priority, conditions, actions[0].targetGroupArn])).toEqual(
      [
        [
          1,
          [{ hostHeader: { values: ['acme.example.com'] } }, { pathPattern: { values: ['/rtc', '/rtc/*'] } }],
          expect.stringContaining('parley-acme-rooms'),
        ],
        [2, [{ hostHeader: { values: ['acme.example.com'] } }], expect.stringContaining('parley-acme-api')],
      ],
    );
    const attached = ofType(created, 'aws:autoscaling/attachment:Attachment').map(
      ({ inputs }) => inputs.autoscalingGroupName,
    );
    expect(attached.sort()).toEqual([
      'parley-acme-general-group',
      'parley-acme-rooms-blue-group',
      'parley-acme-rooms-blue-group',
      'parley-acme-rooms-green-group',
      'parley-acme-rooms-green-group',
    ]);
    const service = ofType(created, 'kubernetes:core/v1:Service').find(({ inputs }) => inputs.metadata.name === 'api');
    expect(service?.inputs.spec).toMatchObject({ type: 'NodePort', ports: [{ nodePort: 30_100 }] });
    // Not the servers' own port: whoever stops would be asked until the balancer has noticed.
    const targets = ofType(created, 'aws:lb/targetGroup:TargetGroup').map(({ inputs }) => [inputs.name, inputs.port]);
    expect(Object.fromEntries(targets)).toMatchObject({ 'parley-acme-api': 30_100, 'parley-acme-rooms': 30_200 });
    const rooms = ofType(created, 'kubernetes:core/v1:Service').find(({ inputs }) => inputs.metadata.name === 'rooms');
    expect(rooms?.inputs.spec).toMatchObject({
      type: 'NodePort',
      ports: [{ port: 7880, nodePort: 30_200 }, { port: 7883 }],
    });
  });

  test('closes idle connections before our own servers do', () => {
    const balancer = ofType(created, 'aws:lb/loadBalancer:LoadBalancer').find(
      ({ inputs }) => inputs.loadBalancerType === 'application',
    );
    // keepAliveTimeout of services/api/server.ts is 75 s.
    expect(balancer?.inputs.idleTimeout).toBeLessThan(75);
    expect(balancer?.inputs.idleTimeout).toBeGreaterThanOrEqual(60);
  });

  test('offers TURN over TLS on 443 under a name of its own', () => {
    const listener = ofType(created, 'aws:lb/listener:Listener').find(({ inputs }) => inputs.protocol === 'TLS');
    expect(listener?.inputs.port).toBe(443);
    // As signalling: by a Service, which leads nobody to a server that stops.
    const service = ofType(created, 'kubernetes:core/v1:Service').find(
      ({ inputs }) => inputs.metadata.name === 'rooms',
    );
    expect(service?.inputs.spec.ports).toContainEqual({ name: 'turn', port: 7883, nodePort: 30_300 });
    expect(one(created, 'aws:lb/targetGroup:TargetGroup', 'parley-acme-turn')).toMatchObject({
      protocol: 'TCP',
      port: 30_300,
    });
    const doors = ofType(created, ingress).filter(({ inputs }) => inputs.fromPort === 30_300);
    expect(doors.map(({ inputs }) => inputs.referencedSecurityGroupId)).toEqual(['parley-acme-media-balancer-id']);
    const records = ofType(created, 'aws:route53/record:Record').map(({ inputs }) => inputs.name);
    expect(records).toContain('turn.acme.example.com');
    const configuration = ofType(created, 'kubernetes:core/v1:Secret').find(
      ({ inputs }) => inputs.metadata.name === 'configuration',
    );
    const yaml = configuration?.inputs.stringData['livekit.yaml'];
    expect(yaml).toContain('domain: turn.acme.example.com');
    expect(yaml).toContain('external_tls: true');
    expect(yaml).toContain('advertise_internal_ip: true');
  });

  test("keeps its secrets in Secrets Manager, one for each process, and none of its pods' in the cluster", () => {
    const stored = ofType(created, 'aws:secretsmanager/secret:Secret').map(({ inputs }) => inputs.name);
    expect(stored.sort()).toEqual(['agent', 'api', 'prepare', 'worker'].map((name) => `parley/acme/${name}`));
    for (const { inputs } of ofType(created, 'kubernetes:apps/v1:Deployment').filter(
      ({ inputs }) => inputs.metadata.namespace === 'parley-acme',
    )) {
      expect(inputs.spec.template.spec.serviceAccountName).toBe(inputs.metadata.name);
      expect(inputs.spec.template.spec.volumes).toContainEqual(
        expect.objectContaining({ csi: expect.objectContaining({ driver: 'secrets-store.csi.k8s.io' }) }),
      );
    }
    const inCluster = ofType(created, 'kubernetes:core/v1:Secret').map(({ inputs }) => inputs.metadata.name);
    expect(inCluster).toEqual(['configuration']);
  });

  test('has no name that AWS would not take', () => {
    for (const { inputs } of [
      ...ofType(created, 'aws:lb/loadBalancer:LoadBalancer'),
      ...ofType(created, 'aws:lb/targetGroup:TargetGroup'),
    ])
      expect(inputs.name.length).toBeLessThanOrEqual(32);
  });
});

describe('a tenant on the foundation of another stack', () => {
  let created: Created[];
  beforeAll(async () => {
    created = await createdFor(guestTenant());
  });

  test('creates no network, cluster, nodes, database server, cache or balancer', () => {
    const foundations = created.filter(({ type }) =>
      /^aws:(ec2|eks\/(cluster|nodeGroup|addon)|rds|elasticache|lb\/(loadBalancer|listener:))/.test(type),
    );
    expect(foundations).toEqual([]);
  });

  test('adds its name, its certificate and its ports to what is there', () => {
    expect(one(created, 'aws:lb/listenerCertificate:ListenerCertificate').listenerArn).toBe('shared-listener');
    const rules = ofType(created, 'aws:lb/listenerRule:ListenerRule')
      .map(({ inputs }) => inputs)
      .sort((a, b) => a.priority - b.priority);
    expect(rules.map(({ priority, listenerArn }) => [priority, listenerArn])).toEqual([
      [31, 'shared-listener'],
      [32, 'shared-listener'],
    ]);
    // The foundation has opened the ports of all its guests.
    expect(ofType(created, ingress)).toEqual([]);
  });

  test('has a database, roles and a user of the cache of its own, and nothing that opens the shared servers', () => {
    const held = JSON.stringify(ofType(created, 'aws:secretsmanager/secretVersion:SecretVersion'));
    const [prepare] = ofType(created, 'aws:secretsmanager/secretVersion:SecretVersion').filter(
      ({ name }) => name === 'parley-guest-prepare',
    );
    const urls = JSON.parse(prepare?.inputs.secretString);
    expect(urls.PARLEY_DATABASE_URL).toMatch(
      /^postgres:\/\/guest_3:[^@]+@shared\.rds\.test:5432\/guest_3\?sslmode=verify-full&sslrootcert=/,
    );
    expect(urls.PARLEY_DATABASE_ADMIN_URL).toMatch(
      /^postgres:\/\/guest_3_admin:seat-password@shared\.rds\.test:5432\/guest_3\?/,
    );
    expect(held).not.toContain('parley_server');
    expect(held).not.toContain('PARLEY_DATABASE_SERVER_URL');
  });

  test('has no agents while nobody talks', () => {
    expect(one(created, 'kubernetes:keda.sh/v1alpha1:ScaledObject').spec.minReplicaCount).toBe(0);
  });
});

/** Of v1.35.0: 1.35. */
const minorOf = (version: string) => /^v?(\d+\.\d+)\./.exec(version)?.[1];
