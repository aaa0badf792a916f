import type { Properties } from './property-values.ts';

interface NameRule {
  property: string;
  longest: number;
  pattern: RegExp;
}

const wordsWithDashes = /^[A-Za-z0-9](-?[A-Za-z0-9])*$/;
const lowerWords = /^[a-z](-?[a-z0-9])*$/;

/** How AWS lets things be called, from its API references; a preview with the vendor's provider would not tell either. */
const nameRules: Readonly<Record<string, NameRule>> = {
  'aws:lb/loadBalancer:LoadBalancer': { property: 'name', longest: 32, pattern: wordsWithDashes },
  'aws:lb/targetGroup:TargetGroup': { property: 'name', longest: 32, pattern: wordsWithDashes },
  'aws:rds/instance:Instance': { property: 'identifier', longest: 63, pattern: lowerWords },
  'aws:rds/subnetGroup:SubnetGroup': { property: 'name', longest: 255, pattern: /^[a-z0-9 ._-]+$/ },
  'aws:rds/parameterGroup:ParameterGroup': { property: 'name', longest: 255, pattern: lowerWords },
  'aws:elasticache/replicationGroup:ReplicationGroup': {
    property: 'replicationGroupId',
    longest: 40,
    pattern: lowerWords,
  },
  'aws:elasticache/subnetGroup:SubnetGroup': { property: 'name', longest: 255, pattern: /^[a-z0-9-]+$/ },
  'aws:iam/role:Role': { property: 'name', longest: 64, pattern: /^[\w+=,.@-]+$/ },
  'aws:iam/policy:Policy': { property: 'name', longest: 128, pattern: /^[\w+=,.@-]+$/ },
  'aws:eks/cluster:Cluster': { property: 'name', longest: 100, pattern: /^[0-9A-Za-z][A-Za-z0-9_-]*$/ },
  'aws:eks/nodeGroup:NodeGroup': { property: 'nodeGroupName', longest: 63, pattern: /^[0-9A-Za-z][A-Za-z0-9_-]*$/ },
  'aws:ec2/securityGroup:SecurityGroup': {
    property: 'name',
    longest: 255,
    pattern: /^(?!sg-)[\w ./()#,@[\]+=&;{}!$*:-]+$/,
  },
  'aws:secretsmanager/secret:Secret': { property: 'name', longest: 512, pattern: /^[\w/+=.@-]+$/ },
  'aws:cloudwatch/logGroup:LogGroup': { property: 'name', longest: 512, pattern: /^[\w./#-]+$/ },
  'aws:elasticache/user:User': { property: 'userId', longest: 40, pattern: /^[A-Za-z][A-Za-z0-9-]*$/ },
  'aws:elasticache/userGroup:UserGroup': { property: 'userGroupId', longest: 40, pattern: /^[A-Za-z][A-Za-z0-9-]*$/ },
  'aws:s3/bucket:Bucket': { property: 'bucket', longest: 63, pattern: /^[a-z0-9][a-z0-9.-]+[a-z0-9]$/ },
};

/** The random letters that Pulumi adds to a name of its own making. */
const added = 8;

/** What is wrong with the name of a resource: too long, or with letters that AWS does not take. */
export function nameFaults(type: string, logicalName: string, inputs: Properties): string[] {
  const rule = nameRules[type];
  if (!rule) return [];
  const given = inputs[rule.property];
  if (typeof given !== 'string') {
    const length = logicalName.length + added;
    return length > rule.longest ? [`${logicalName} makes a name of ${length} letters; at most ${rule.longest}`] : [];
  }
  if (given.length > rule.longest) return [`${rule.property} has ${given.length} letters; at most ${rule.longest}`];
  return rule.pattern.test(given) ? [] : [`${rule.property} "${given}" is not a name that AWS takes`];
}

/** The properties that give a thing its name: another one is another thing. */
export const nameProperty = (type: string): string | undefined => nameRules[type]?.property;

/** Properties that name things of a type, rather than give their id or ARN. */
export const referredToBy = (type: string): readonly string[] => referredTo[type] ?? [];

const referredTo: Readonly<Record<string, readonly string[]>> = {
  'aws:eks/cluster:Cluster': ['clusterName'],
  'aws:iam/role:Role': ['role'],
  'aws:rds/subnetGroup:SubnetGroup': ['dbSubnetGroupName'],
  'aws:rds/parameterGroup:ParameterGroup': ['parameterGroupName'],
  'aws:elasticache/subnetGroup:SubnetGroup': ['subnetGroupName'],
  'aws:elasticache/parameterGroup:ParameterGroup': ['parameterGroupName'],
};
