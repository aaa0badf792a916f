/**
 * What AWS refuses when it is asked, and what it makes without being asked: manners that neither a type nor a name tells. Each says
 * where it is from. Where AWS would do something that loses data, or leaves it lying about, the stand-in refuses in its place and says so.
 */
import type { Properties } from './property-values.ts';
import { isUnknown, valueAt } from './property-values.ts';

/** What a refusal may look at: resources of the account by their type. */
export interface Inventory {
  ofType(type: string): readonly { id: string; inputs: Properties }[];
  /** Names of snapshots of databases, which outlive them. */
  snapshots(): readonly string[];
}

export interface Asked {
  type: string;
  /** As AWS has it now; undefined for a resource that is to be made. */
  before: Properties | undefined;
  /** As it should be; undefined for one that should go. */
  after: Properties | undefined;
}

/** In AWS's words, where they are known. */
type Refusal = (asked: Asked, inventory: Inventory) => string | undefined | false;

const types = {
  addon: 'aws:eks/addon:Addon',
  attachment: 'aws:autoscaling/attachment:Attachment',
  balancer: 'aws:lb/loadBalancer:LoadBalancer',
  cache: 'aws:elasticache/replicationGroup:ReplicationGroup',
  cacheUser: 'aws:elasticache/user:User',
  certificate: 'aws:lb/listenerCertificate:ListenerCertificate',
  cluster: 'aws:eks/cluster:Cluster',
  database: 'aws:rds/instance:Instance',
  ingress: 'aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule',
  logGroup: 'aws:cloudwatch/logGroup:LogGroup',
  nodeGroup: 'aws:eks/nodeGroup:NodeGroup',
  parameters: 'aws:rds/parameterGroup:ParameterGroup',
  rule: 'aws:lb/listenerRule:ListenerRule',
} as const;

const of =
  (type: string, refusal: Refusal): Refusal =>
  (asked, inventory) =>
    asked.type === type && refusal(asked, inventory);

const number = (properties: Properties | undefined, path: string) => Number(valueAt(properties, path));
const text = (properties: Properties | undefined, path: string) => String(valueAt(properties, path) ?? '');
/** `1.35` is 35. */
const minorOf = (version: string): number => Number(/^v?1\.(\d+)/.exec(version)?.[1]);
const majorOf = (version: string): number => Number.parseInt(version, 10);

/** https://github.com/terraform-aws-modules/terraform-aws-eks/issues/748 and 2508; EKS API, NodegroupScalingConfig. */
const sizes: Refusal = ({ after }) => {
  if (!after) return undefined;
  const size = (name: string) => number(after, `scalingConfig.${name}`);
  const [min, desired, max] = [size('minSize'), size('desiredSize'), size('maxSize')] as const;
  if (min > desired) return `Minimum capacity ${min} can't be greater than desired size ${desired}`;
  return desired > max && `desired capacity ${desired} can't be greater than max size ${max}`;
};

/** EKS user guide, "Update a managed node group" and "Update cluster version": nodes never newer than the cluster, at most three minors older. */
const nodesBesideCluster: Refusal = ({ after }, { ofType }) => {
  const cluster = ofType(types.cluster).find(({ id }) => id === after?.clusterName);
  if (!after || !cluster) return undefined;
  const [ours, theirs] = [text(after, 'version'), text(cluster.inputs, 'version')];
  const release = text(after, 'releaseVersion');
  if (release !== '' && ours !== '' && minorOf(release) !== minorOf(ours))
    return `Requested release version ${release} is not valid for kubernetes version ${ours}.`;
  if (ours !== '' && minorOf(ours) > minorOf(theirs))
    return `Nodegroup Kubernetes version ${ours} is newer than that of its cluster, ${theirs}`;
  return minorOf(theirs) - minorOf(ours) > 3 && `Kubelet ${ours} is too old for a cluster of ${theirs}`;
};

/** EKS user guide, "Update existing cluster to new Kubernetes version". */
const oneMinorAtATime: Refusal = ({ before, after }) => {
  if (!before || !after) return undefined;
  const [from, to] = [text(before, 'version'), text(after, 'version')];
  const step = minorOf(to) - minorOf(from);
  return (
    (step < 0 || step > 1) &&
    `Unsupported Kubernetes minor version update from ${from} to ${to}: one minor version at a time`
  );
};

/** EKS user guide, "Manage kube-proxy": its minor version is the cluster's, or up to three older. */
const proxyOfCluster: Refusal = ({ after }, { ofType }) => {
  if (after?.addonName !== 'kube-proxy' || after.addonVersion === undefined) return undefined;
  const cluster = ofType(types.cluster).find(({ id }) => id === after.clusterName);
  const [ours, theirs] = [text(after, 'addonVersion'), text(cluster?.inputs, 'version')];
  const older = minorOf(theirs) - minorOf(ours);
  return (older < 0 || older > 3) && `Addon version specified is not supported: kube-proxy ${ours} on ${theirs}`;
};

/** The stand-in's own: AWS deletes it, and the nodes that still run have no network for the pods that have to stop on them. */
const networkOutlivesNodes: Refusal = ({ before, after }, { ofType }) =>
  after === undefined &&
  before?.addonName === 'vpc-cni' &&
  before.preserve !== true &&
  ofType(types.nodeGroup).some(({ inputs }) => inputs.clusterName === before.clusterName) &&
  'vpc-cni would go before the nodes that need it';

/** RDS API, DeleteDBInstance. */
const protectedDatabase: Refusal = ({ before, after }) =>
  after === undefined &&
  before?.deletionProtection === true &&
  'Cannot delete protected DB Instance, please disable deletion protection and try again.';

/** The stand-in's own: AWS would delete the last copy of the data without a word. */
const lastCopy: Refusal = ({ before, after }) =>
  after === undefined &&
  before?.skipFinalSnapshot !== false &&
  before?.deleteAutomatedBackups !== false &&
  'The database would leave neither a snapshot nor its automated backups';

/** hashicorp/aws, aws_db_instance: final_snapshot_identifier; RDS API, DBSnapshotAlreadyExists. */
const namedSnapshot: Refusal = ({ before, after }, { snapshots }) => {
  if (after !== undefined || before?.skipFinalSnapshot !== false) return undefined;
  const name = text(before, 'finalSnapshotIdentifier');
  if (name === '') return 'final_snapshot_identifier is required when skip_final_snapshot is false';
  return (
    snapshots().includes(name) && `DBSnapshotAlreadyExists: Cannot create the snapshot because ${name} already exists.`
  );
};

/** RDS API, DBSnapshotNotFound and RestoreDBInstanceToPointInTime. */
const restoredFrom: Refusal = ({ before, after }, { ofType, snapshots }) => {
  if (before || !after) return undefined;
  const snapshot = after.snapshotIdentifier;
  if (typeof snapshot === 'string' && !isUnknown(snapshot) && !snapshots().includes(snapshot))
    return `DBSnapshotNotFound: ${snapshot} not found`;
  const source = valueAt(after, 'restoreToPointInTime.sourceDbInstanceIdentifier');
  return (
    source !== undefined &&
    !ofType(types.database).some(({ id, inputs }) => [id, inputs.identifier].includes(String(source))) &&
    `DBInstanceNotFound: DBInstance ${source} not found.`
  );
};

/** RDS user guide, "Upgrading the PostgreSQL DB engine". */
const majorOnPurpose: Refusal = ({ before, after }) =>
  before !== undefined &&
  after !== undefined &&
  majorOf(text(after, 'engineVersion')) !== majorOf(text(before, 'engineVersion')) &&
  after.allowMajorVersionUpgrade !== true &&
  'The AllowMajorVersionUpgrade flag must be present when upgrading to a new major version.';

/** RDS user guide, "Working with storage": it grows, and never shrinks. */
const storageGrows: Refusal = ({ before, after }) =>
  number(after, 'allocatedStorage') < number(before, 'allocatedStorage') &&
  'Invalid storage size for engine name postgres: it cannot be less than what is allocated';

/** RDS API, CreateDBInstance: InvalidParameterCombination. */
const parametersOfEngine: Refusal = ({ after }, { ofType }) => {
  const group = ofType(types.parameters).find(({ id }) => id === after?.parameterGroupName);
  const family = text(group?.inputs, 'family');
  const wanted = `postgres${majorOf(text(after, 'engineVersion'))}`;
  return (
    group !== undefined &&
    family !== wanted &&
    `The Parameter Group with DBParameterGroupFamily ${family} can't be used for this instance. Please use ${wanted}`
  );
};

/** ElastiCache API, CreateReplicationGroup: AuthToken, UserGroupIds, AutomaticFailoverEnabled, MultiAZEnabled. */
const cacheCombination: Refusal = ({ after }) => {
  if (!after) return undefined;
  const groups = after.userGroupIds as readonly unknown[] | undefined;
  const withUsers = groups !== undefined && groups.length > 0;
  if (after.authToken !== undefined && withUsers) return 'AuthToken and UserGroupIds cannot be used together';
  if ((after.authToken !== undefined || withUsers) && after.transitEncryptionEnabled !== true)
    return 'Transit encryption must be enabled for an AuthToken or user groups';
  if (after.engine === 'valkey' && after.transitEncryptionEnabled === undefined)
    return 'TransitEncryptionEnabled is required for valkey';
  return (
    after.automaticFailoverEnabled === true &&
    number(after, 'numCacheClusters') < 2 &&
    'Automatic failover takes at least two nodes'
  );
};

/** ElastiCache user guide, "Authenticating with passwords": 16 to 128 printable characters; at most two. */
const cachePasswords: Refusal = ({ after }) => {
  const passwords = valueAt(after, 'authenticationMode.passwords');
  if (!Array.isArray(passwords)) return undefined;
  if (passwords.length > 2) return 'You can create up to two passwords for each user';
  const wrong = passwords.some((one) => !isUnknown(one) && !/^[!-~]{16,128}$/.test(String(one)));
  return wrong && 'Passwords must be 16 to 128 printable characters without spaces';
};

/** ELB API, DeleteLoadBalancer: OperationNotPermitted. */
const protectedBalancer: Refusal = ({ before, after }) =>
  after === undefined &&
  before?.enableDeletionProtection === true &&
  'OperationNotPermitted: Load balancer cannot be deleted because deletion protection is enabled';

/** ELB API, CreateRule: PriorityInUse. */
const onePriority: Refusal = ({ before, after }, { ofType }) =>
  after !== undefined &&
  before === undefined &&
  ofType(types.rule).some(
    ({ inputs }) => inputs.listenerArn === after.listenerArn && String(inputs.priority) === String(after.priority),
  ) &&
  `PriorityInUse: Priority '${after.priority}' is currently in use`;

/** CloudWatch Logs API, CreateLogGroup: days that RetentionInDays may be, and ResourceAlreadyExistsException. */
const retentions = [
  1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1096, 1827, 2192, 2557, 2922, 3288, 3653,
];
const logsKeptFor: Refusal = ({ after }) =>
  after?.retentionInDays !== undefined &&
  !retentions.includes(Number(after.retentionInDays)) &&
  `retentionInDays is ${after.retentionInDays}, which is none of ${retentions.join(', ')}`;

interface Quota {
  type: string;
  /** Counted among those with the same value here; none: in the region. */
  by: string | undefined;
  most: number;
  what: string;
}

/** Defaults, from the pages "Quotas" of VPC, Elastic Load Balancing, Auto Scaling, EKS, IAM, RDS and ElastiCache. */
const quotas: readonly Quota[] = [
  { type: types.ingress, by: 'securityGroupId', most: 60, what: 'inbound rules of a security group' },
  { type: 'aws:ec2/vpc:Vpc', by: undefined, most: 5, what: 'networks of a region' },
  { type: 'aws:ec2/eip:Eip', by: undefined, most: 5, what: 'elastic addresses of a region' },
  { type: types.rule, by: 'listenerArn', most: 100, what: 'rules of an application load balancer' },
  { type: types.certificate, by: 'listenerArn', most: 25, what: 'certificates of a load balancer' },
  { type: types.attachment, by: 'autoscalingGroupName', most: 50, what: 'target groups of an autoscaling group' },
  { type: types.nodeGroup, by: 'clusterName', most: 30, what: 'managed node groups of a cluster' },
  { type: 'aws:iam/rolePolicyAttachment:RolePolicyAttachment', by: 'role', most: 10, what: 'policies of a role' },
  { type: types.database, by: undefined, most: 40, what: 'databases of a region' },
  { type: types.cacheUser, by: undefined, most: 1_000, what: 'users of caches of a region' },
];

const withinQuotas: Refusal = ({ type, before, after }, { ofType }) => {
  if (before || !after) return undefined;
  const full = quotas.find(
    (quota) =>
      quota.type === type &&
      ofType(type).filter(({ inputs }) => quota.by === undefined || inputs[quota.by] === after[quota.by]).length >=
        quota.most,
  );
  return full && `LimitExceeded: at most ${full.most} ${full.what}`;
};

/** EKS and EC2 Auto Scaling quotas: nodes of a managed node group. */
const mostNodes = 450;
const nodesOfGroup: Refusal = ({ after }) =>
  number(after, 'scalingConfig.maxSize') > mostNodes && `maxSize can't be greater than ${mostNodes}`;

/** ELB quotas: five values in all conditions of a rule. */
const conditionsOfRule: Refusal = ({ after }) => {
  const conditions = (after?.conditions ?? []) as readonly Record<string, { values?: readonly string[] }>[];
  const values = conditions.flatMap((condition) => Object.values(condition).flatMap((one) => one?.values ?? []));
  return values.length > 5 && `TooManyConditionValues: a rule has ${values.length} of 5`;
};

const refusals: readonly Refusal[] = [
  withinQuotas,
  of(types.nodeGroup, sizes),
  of(types.nodeGroup, nodesOfGroup),
  of(types.nodeGroup, nodesBesideCluster),
  of(types.cluster, oneMinorAtATime),
  of(types.addon, proxyOfCluster),
  of(types.addon, networkOutlivesNodes),
  of(types.database, protectedDatabase),
  of(types.database, lastCopy),
  of(types.database, namedSnapshot),
  of(types.database, restoredFrom),
  of(types.database, majorOnPurpose),
  of(types.database, storageGrows),
  of(types.database, parametersOfEngine),
  of(types.cache, cacheCombination),
  of(types.cacheUser, cachePasswords),
  of(types.balancer, protectedBalancer),
  of(types.rule, onePriority),
  of(types.rule, conditionsOfRule),
  of(types.logGroup, logsKeptFor),
];

/** Why AWS would not do it; undefined where it would. */
export function refusalOf(asked: Asked, inventory: Inventory): string | undefined {
  for (const refusal of refusals) {
    const sentence = refusal(asked, inventory);
    if (sentence) return sentence;
  }
  return undefined;
}

/**
 * Log groups that AWS makes itself when somebody writes to them and nobody has made them before: they are kept for ever, and no stack
 * deletes them. (EKS user guide, "Send control plane logs to CloudWatch Logs"; RDS user guide, "Publishing logs to CloudWatch Logs".)
 */
export function logGroupsOf(type: string, id: string, inputs: Properties): string[] {
  if (type === types.cluster && ((inputs.enabledClusterLogTypes as unknown[]) ?? []).length > 0)
    return [`/aws/eks/${id}/cluster`];
  if (type === types.database)
    return ((inputs.enabledCloudwatchLogsExports ?? []) as string[]).map((log) => `/aws/rds/instance/${id}/${log}`);
  return [];
}
