import { at, isRecord, listAt, type PolicyRule } from './rule.ts';

const rds = 'aws:rds/instance:Instance';

export const noPublicDatabase: PolicyRule = {
  name: 'no-public-database',
  check({ type, props }) {
    if (type === rds && props.publiclyAccessible !== false) return 'publiclyAccessible must be false.';
    if (type === 'kubernetes:core/v1:Service' && props.metadata !== undefined) {
      const isDatabase = ['database', 'cache'].includes(String(at(props, 'metadata.name')));
      const kind = at(props, 'spec.type') ?? 'ClusterIP';
      if (isDatabase && kind !== 'ClusterIP') return `Its type must be ClusterIP, not ${kind}.`;
    }
    return undefined;
  },
};

/** By type, the properties that switch encryption on. */
const encryptions: Readonly<Record<string, readonly string[]>> = {
  [rds]: ['storageEncrypted'],
  'aws:elasticache/replicationGroup:ReplicationGroup': ['atRestEncryptionEnabled', 'transitEncryptionEnabled'],
  'aws:ebs/volume:Volume': ['encrypted'],
  'aws:efs/fileSystem:FileSystem': ['encrypted'],
};

export const encryptedAtRest: PolicyRule = {
  name: 'encryption-at-rest',
  check({ type, props }) {
    const missing = encryptions[type]?.filter((property) => props[property] !== true) ?? [];
    if (missing.length > 0) return `${missing.join(' and ')} must be true.`;
    if (type === 'aws:ec2/launchTemplate:LaunchTemplate') {
      const disks = listAt(props, 'blockDeviceMappings');
      const open = disks.length === 0 || disks.some((disk) => at(disk, 'ebs.encrypted') !== 'true');
      if (open) return 'The disks of nodes must be named, and encrypted.';
    }
    if (type === 'aws:eks/cluster:Cluster' && !isRecord(props.encryptionConfig))
      return 'Secrets of the cluster must be encrypted with a key of ours (encryptionConfig).';
    return undefined;
  },
};

export const guardedDatabase: PolicyRule = {
  name: 'database-backups-and-protection',
  check({ type, props }) {
    if (type !== rds) return undefined;
    if (typeof props.deletionProtection !== 'boolean') return 'deletionProtection must be decided.';
    if (!(Number(props.backupRetentionPeriod) > 0)) return 'backupRetentionPeriod must be at least a day.';
    if (props.skipFinalSnapshot !== false) return 'It must leave a snapshot when it goes.';
    if (props.deleteAutomatedBackups !== false) return 'Its automatic backups must outlive it.';
    return undefined;
  },
};

const policyTypes = ['aws:iam/policy:Policy', 'aws:iam/rolePolicy:RolePolicy', 'aws:iam/userPolicy:UserPolicy'];
/** Managed policies that open everything. */
const tooWide = /\/(AdministratorAccess|PowerUserAccess|.*FullAccess)$/;

export const noWildcardIam: PolicyRule = {
  name: 'no-wildcard-iam',
  check({ type, props }) {
    if (type.startsWith('aws:iam/') && typeof props.policyArn === 'string' && tooWide.test(props.policyArn))
      return `${props.policyArn} opens everything.`;
    if (!policyTypes.includes(type)) return undefined;
    const document = typeof props.policy === 'string' ? (JSON.parse(props.policy) as unknown) : props.policy;
    const wide = [at(document, 'Statement')]
      .flat()
      .filter((statement) => at(statement, 'Effect') !== 'Deny')
      .find((statement) => isWide(at(statement, 'Action')) || isWideResource(statement));
    return wide === undefined ? undefined : `A statement allows everything: ${JSON.stringify(wide)}.`;
  },
};

const isWide = (action: unknown): boolean =>
  [action].flat().some((one) => one === '*' || /^[a-z0-9-]+:\*$/.test(String(one)));

/** AWS knows no resource for some questions, which change nothing. */
const isWideResource = (statement: unknown): boolean =>
  [at(statement, 'Resource')].flat().includes('*') &&
  ![at(statement, 'Action')]
    .flat()
    .every((action) => /^[a-z0-9-]+:(Describe|List)|^ecr:GetAuthorizationToken$/.test(String(action))) &&
  at(statement, 'Condition') === undefined;

const openWorld = ['0.0.0.0/0', '::/0'];
/** What the public may reach: TLS, and media of the room servers. */
const publicNames = /(balancer|rooms)/;

export const closedSecurityGroups: PolicyRule = {
  name: 'no-open-security-group',
  check({ type, name, props }) {
    const isRule = type === 'aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule';
    if (!isRule || !openWorld.includes(String(props.cidrIpv4 ?? props.cidrIpv6))) return undefined;
    if (!publicNames.test(name)) return `Only balancers and room servers are open to everybody, not ${name}.`;
    return props.ipProtocol === '-1' ? 'A rule for everybody must name its ports.' : undefined;
  },
};
