import { describe, expect, test } from 'vitest';
import { type Inventory, refusalOf } from './support/aws-refusals.ts';
import { valueFaults } from './support/aws-values.ts';

type Inputs = Record<string, unknown>;

const inventory = (
  living: readonly (readonly [type: string, id: string, inputs: Inputs])[] = [],
  snapshots: string[] = [],
): Inventory => ({
  ofType: (type) => living.filter(([found]) => found === type).map(([, id, inputs]) => ({ id, inputs })),
  snapshots: () => snapshots,
});

const nodeGroup = 'aws:eks/nodeGroup:NodeGroup';
const cluster = 'aws:eks/cluster:Cluster';
const database = 'aws:rds/instance:Instance';
const scaling = (minSize: number, desiredSize: number, maxSize: number) => ({
  scalingConfig: { minSize, desiredSize, maxSize },
});

describe('the stand-in refuses what AWS refuses', () => {
  const running = [cluster, 'acme', { version: '1.35' }] as const;
  const kept = { deletionProtection: false, skipFinalSnapshot: false, finalSnapshotIdentifier: 'last' };
  test.each<[string, string, Inputs | undefined, Inputs | undefined, Inventory, RegExp]>([
    [
      'more nodes at least than there are',
      nodeGroup,
      scaling(2, 2, 4),
      scaling(4, 2, 8),
      inventory(),
      /Minimum capacity 4 can't be greater than desired size 2/,
    ],
    [
      'fewer nodes at most than there are',
      nodeGroup,
      scaling(1, 6, 8),
      scaling(1, 6, 4),
      inventory(),
      /desired capacity 6 can't be greater/,
    ],
    [
      'nodes that are newer than their cluster',
      nodeGroup,
      undefined,
      { ...scaling(0, 0, 1), clusterName: 'acme', version: '1.36' },
      inventory([running]),
      /newer/,
    ],
    [
      'nodes that are four versions older',
      nodeGroup,
      undefined,
      { ...scaling(0, 0, 1), clusterName: 'acme', version: '1.31' },
      inventory([running]),
      /too old/,
    ],
    [
      'an image of another version',
      nodeGroup,
      undefined,
      { ...scaling(0, 0, 1), clusterName: 'acme', version: '1.35', releaseVersion: '1.34.1-20260101' },
      inventory([running]),
      /not valid/,
    ],
    [
      'two versions of a cluster at once',
      cluster,
      { version: '1.33' },
      { version: '1.35' },
      inventory(),
      /one minor version at a time/,
    ],
    [
      'an older version of a cluster',
      cluster,
      { version: '1.35' },
      { version: '1.34' },
      inventory(),
      /one minor version at a time/,
    ],
    [
      'kube-proxy of a newer cluster',
      'aws:eks/addon:Addon',
      undefined,
      { addonName: 'kube-proxy', addonVersion: 'v1.36.0-eksbuild.1', clusterName: 'acme' },
      inventory([running]),
      /not supported/,
    ],
    [
      'a protected database',
      database,
      { ...kept, deletionProtection: true },
      undefined,
      inventory(),
      /Cannot delete protected/,
    ],
    [
      'a snapshot of a name that is taken',
      database,
      kept,
      undefined,
      inventory([], ['last']),
      /DBSnapshotAlreadyExists/,
    ],
    [
      'a snapshot without a name',
      database,
      { skipFinalSnapshot: false },
      undefined,
      inventory(),
      /final_snapshot_identifier is required/,
    ],
    [
      'a snapshot that is not there',
      database,
      undefined,
      { snapshotIdentifier: 'lost' },
      inventory(),
      /DBSnapshotNotFound/,
    ],
    [
      'another major version by chance',
      database,
      { engineVersion: '17' },
      { engineVersion: '18' },
      inventory(),
      /AllowMajorVersionUpgrade/,
    ],
    [
      'less storage',
      database,
      { engineVersion: '18', allocatedStorage: 100 },
      { engineVersion: '18', allocatedStorage: 20 },
      inventory(),
      /storage/,
    ],
    [
      'a cache with a password and users',
      'aws:elasticache/replicationGroup:ReplicationGroup',
      undefined,
      { authToken: 'x', userGroupIds: ['g'], transitEncryptionEnabled: true },
      inventory(),
      /cannot be used together/,
    ],
    [
      'a short password of the cache',
      'aws:elasticache/user:User',
      undefined,
      { authenticationMode: { passwords: ['short'] } },
      inventory(),
      /16 to 128/,
    ],
    [
      'a protected balancer',
      'aws:lb/loadBalancer:LoadBalancer',
      { enableDeletionProtection: true },
      undefined,
      inventory(),
      /OperationNotPermitted/,
    ],
    [
      'days that logs are not kept for',
      'aws:cloudwatch/logGroup:LogGroup',
      undefined,
      { retentionInDays: 31 },
      inventory(),
      /which is none of/,
    ],
  ])('%s', (_, type, before, after, account, words) => {
    expect(refusalOf({ type, before, after }, account)).toMatch(words);
  });

  test('the 61st rule of a security group', () => {
    const type = 'aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule';
    const rules = Array.from({ length: 60 }, (_, index) => [type, `${index}`, { securityGroupId: 'sg' }] as const);
    const asked = { type, before: undefined, after: { securityGroupId: 'sg' } };
    expect(refusalOf(asked, inventory(rules.slice(1)))).toBeUndefined();
    expect(refusalOf(asked, inventory(rules))).toMatch(/at most 60 inbound rules/);
  });
});

test('it refuses in its place what AWS would do, and what loses data', () => {
  const gone = { type: database, before: { skipFinalSnapshot: true, deleteAutomatedBackups: true }, after: undefined };
  expect(refusalOf(gone, inventory())).toMatch(/neither a snapshot nor its automated backups/);
  const nodes = inventory([[nodeGroup, 'general', { clusterName: 'acme' }]]);
  const network = {
    type: 'aws:eks/addon:Addon',
    before: { addonName: 'vpc-cni', clusterName: 'acme' },
    after: undefined,
  };
  expect(refusalOf(network, nodes)).toMatch(/before the nodes/);
  expect(refusalOf(network, inventory())).toBeUndefined();
});

test.each<[string, Inputs, RegExp]>([
  ['aws:eks/nodeGroup:NodeGroup', { amiType: 'AL2023' }, /amiType is "AL2023", which AWS does not know/],
  ['aws:eks/nodeGroup:NodeGroup', { taints: [{ effect: 'NoSchedule' }] }, /taints\[\]\.effect/],
  ['aws:ec2/launchTemplate:LaunchTemplate', { instanceType: 'c7i.huge' }, /instanceType/],
  ['aws:rds/instance:Instance', { instanceClass: 'db.c7i.large' }, /instanceClass/],
  ['aws:rds/instance:Instance', { engineVersion: '18.99' }, /engineVersion/],
  ['aws:rds/instance:Instance', { backupRetentionPeriod: 36 }, /AWS takes 0 to 35/],
  ['aws:elasticache/replicationGroup:ReplicationGroup', { nodeType: 'cache.t4g.huge' }, /nodeType/],
  ['aws:lb/listenerRule:ListenerRule', { priority: 50_001 }, /AWS takes 1 to 50000/],
  ['aws:iam/role:Role', { name: 'x'.repeat(65) }, /65 letters/],
  ['aws:secretsmanager/secretVersion:SecretVersion', { secretString: 'x'.repeat(65_537) }, /65537 letters/],
])('a value that AWS does not know is a fault of %s', (type, inputs, words) => {
  expect(valueFaults(type, inputs).join()).toMatch(words);
});
