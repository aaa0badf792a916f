/**
 * Writes generated/aws-models.json: what AWS says itself of values that our stacks use. Enumerations, patterns, lengths and bounds are
 * from botocore's service models; classes and engines of databases and caches from cfn-lint's schemas, which are AWS's answers to
 * `describe-orderable-db-instance-options` and its like. Both come with moto, as scripts/toolchain/python/moto.txt locks it. Run it when
 * that lock changes, or a type is added here: node test/infra/support/extract-aws-models.ts
 */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { pythonWith } from '../../../scripts/toolchain/python.ts';
import type { AwsModels, ValueRule } from './aws-values.ts';

/** By resource type and property (`[]`: every item of a list) the service and shape of its API that the property becomes. */
const shapes: Readonly<Record<string, Readonly<Record<string, readonly [service: string, shape: string]>>>> = {
  'aws:acm/certificate:Certificate': {
    domainName: ['acm', 'DomainNameString'],
    'subjectAlternativeNames[]': ['acm', 'DomainNameString'],
    validationMethod: ['acm', 'ValidationMethod'],
  },
  'aws:cloudwatch/logGroup:LogGroup': { name: ['logs', 'LogGroupName'] },
  'aws:ec2/launchTemplate:LaunchTemplate': {
    instanceType: ['ec2', 'InstanceType'],
    'blockDeviceMappings[].ebs.volumeType': ['ec2', 'VolumeType'],
    'metadataOptions.httpTokens': ['ec2', 'LaunchTemplateHttpTokensState'],
    'tagSpecifications[].resourceType': ['ec2', 'ResourceType'],
  },
  'aws:eks/accessPolicyAssociation:AccessPolicyAssociation': { 'accessScope.type': ['eks', 'AccessScopeType'] },
  'aws:eks/addon:Addon': {
    resolveConflictsOnCreate: ['eks', 'ResolveConflicts'],
    resolveConflictsOnUpdate: ['eks', 'ResolveConflicts'],
  },
  'aws:eks/cluster:Cluster': {
    name: ['eks', 'ClusterName'],
    'accessConfig.authenticationMode': ['eks', 'AuthenticationMode'],
    'enabledClusterLogTypes[]': ['eks', 'LogType'],
    'upgradePolicy.supportType': ['eks', 'SupportType'],
  },
  'aws:eks/nodeGroup:NodeGroup': {
    amiType: ['eks', 'AMITypes'],
    capacityType: ['eks', 'CapacityTypes'],
    'scalingConfig.minSize': ['eks', 'ZeroCapacity'],
    'scalingConfig.desiredSize': ['eks', 'ZeroCapacity'],
    'scalingConfig.maxSize': ['eks', 'Capacity'],
    'taints[].key': ['eks', 'taintKey'],
    'taints[].value': ['eks', 'taintValue'],
    'taints[].effect': ['eks', 'TaintEffect'],
  },
  'aws:elasticache/user:User': {
    userId: ['elasticache', 'UserId'],
    userName: ['elasticache', 'UserName'],
    accessString: ['elasticache', 'AccessString'],
    'authenticationMode.type': ['elasticache', 'InputAuthenticationType'],
  },
  'aws:elasticache/userGroup:UserGroup': { userGroupId: ['elasticache', 'UserGroupId'] },
  'aws:iam/role:Role': { name: ['iam', 'roleNameType'], assumeRolePolicy: ['iam', 'policyDocumentType'] },
  'aws:iam/rolePolicy:RolePolicy': { name: ['iam', 'policyNameType'], policy: ['iam', 'policyDocumentType'] },
  'aws:kms/key:Key': { description: ['kms', 'DescriptionType'] },
  'aws:lb/listener:Listener': { port: ['elbv2', 'Port'], protocol: ['elbv2', 'ProtocolEnum'] },
  'aws:lb/listenerRule:ListenerRule': { priority: ['elbv2', 'RulePriority'] },
  'aws:lb/loadBalancer:LoadBalancer': { loadBalancerType: ['elbv2', 'LoadBalancerTypeEnum'] },
  'aws:lb/targetGroup:TargetGroup': {
    port: ['elbv2', 'Port'],
    protocol: ['elbv2', 'ProtocolEnum'],
    targetType: ['elbv2', 'TargetTypeEnum'],
    'healthCheck.interval': ['elbv2', 'HealthCheckIntervalSeconds'],
    'healthCheck.healthyThreshold': ['elbv2', 'HealthCheckThresholdCount'],
    'healthCheck.unhealthyThreshold': ['elbv2', 'HealthCheckThresholdCount'],
  },
  'aws:secretsmanager/secret:Secret': { name: ['secretsmanager', 'NameType'] },
  'aws:secretsmanager/secretVersion:SecretVersion': { secretString: ['secretsmanager', 'SecretStringType'] },
};

/** Of long lists the families of instances that a plan may name; others are as good, and no plan names them. */
const families = /^(db\.|cache\.)?(c7i|m7i|m7g|t4g|r7g)\./;
const region = 'eu-west-1';

interface Model {
  shapes: Record<string, { type: string; enum?: string[]; pattern?: string; min?: number; max?: number }>;
}

const bin = await pythonWith('moto', (line) => process.stderr.write(`${line}\n`));
const library = join(bin, '..', 'lib');
const packages = join(library, readdirSync(library)[0] ?? '', 'site-packages');

const versionOf = (name: string): string =>
  readdirSync(packages)
    .find((folder) => folder.startsWith(`${name}-`) && folder.endsWith('.dist-info'))
    ?.slice(name.length + 1, -'.dist-info'.length) ?? '';

const models = new Map<string, Model>();

function modelOf(service: string): Model {
  const known = models.get(service);
  if (known) return known;
  const folder = join(packages, 'botocore', 'data', service);
  const newest = readdirSync(folder).sort().at(-1) ?? '';
  const model = JSON.parse(
    gunzipSync(readFileSync(join(folder, newest, 'service-2.json.gz'))).toString('utf8'),
  ) as Model;
  models.set(service, model);
  return model;
}

function ruleOf(service: string, shape: string): ValueRule {
  const found = modelOf(service).shapes[shape];
  if (!found) throw new Error(`botocore's model of ${service} has no ${shape}`);
  const { type, enum: values, pattern, min, max } = found;
  const listed = values && values.length > 500 ? values.filter((value) => families.test(value)) : values;
  const bounds = type === 'integer' ? { least: min, most: max } : { shortest: min, longest: max };
  return { ...(listed && { enum: listed }), ...(pattern === undefined ? {} : { pattern }), ...bounds };
}

type Condition = {
  if: { properties: Record<string, { const?: string }> };
  then: { properties: Record<string, ValueRule> };
};

/** What cfn-lint's schema allows of a property where Engine is this one. */
function allowed(conditions: readonly Condition[], engine: string, property: string): ValueRule {
  const found = conditions.find(
    ({ if: { properties }, then }) => properties.Engine?.const === engine && then.properties[property] !== undefined,
  );
  const values = found?.then.properties[property]?.enum;
  if (!values) throw new Error(`cfn-lint knows no ${property} of ${engine}`);
  return { enum: property === 'DBInstanceClass' ? values.filter((value) => families.test(value)) : values };
}

const extension = (path: string) =>
  JSON.parse(readFileSync(join(packages, 'cfnlint', 'data', 'schemas', 'extensions', path), 'utf8'));

const classes = extension('aws_rds_dbinstance/dbinstanceclass_enum.json')[region].allOf as Condition[];
const versions = extension('aws_rds_dbinstance/engine_version.json').allOf as Condition[];
const cacheVersions = extension('aws_elasticache_cachecluster/engine_version.json').allOf as Condition[];
const cacheNodes = extension('aws_elasticache_cachecluster/cachenodetype_enum.json')[region].enum as string[];

/** AWS takes a major version, too, and chooses the newest minor one. */
const withMajors = ({ enum: values = [] }: ValueRule): ValueRule => ({
  enum: [...new Set([...values, ...values.map((version) => version.split('.')[0] ?? '')])].filter(
    (version) => Number.parseInt(version, 10) >= 16,
  ),
});

const rules: Record<string, Record<string, ValueRule>> = Object.fromEntries(
  Object.entries(shapes).map(([type, properties]) => [
    type,
    Object.fromEntries(Object.entries(properties).map(([path, [service, shape]]) => [path, ruleOf(service, shape)])),
  ]),
);
rules['aws:rds/instance:Instance'] = {
  instanceClass: allowed(classes, 'postgres', 'DBInstanceClass'),
  engineVersion: withMajors(allowed(versions, 'postgres', 'EngineVersion')),
  // extensions/aws_rds_dbinstance/backupretentionperiod_maximum.json
  backupRetentionPeriod: { least: 0, most: 35 },
};
rules['aws:elasticache/replicationGroup:ReplicationGroup'] = {
  nodeType: { enum: cacheNodes.filter((value) => families.test(value)) },
  engineVersion: allowed(cacheVersions, 'valkey', 'EngineVersion'),
};

const written: AwsModels = {
  from: { botocore: versionOf('botocore'), 'cfn-lint': versionOf('cfn_lint'), region },
  rules,
};
const target = new URL('generated/', import.meta.url);
mkdirSync(target, { recursive: true });
writeFileSync(new URL('aws-models.json', target), `${JSON.stringify(written, null, 1)}\n`);
