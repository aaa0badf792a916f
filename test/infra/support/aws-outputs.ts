import type { Fields, Shape } from './aws-types.ts';
import type { Properties } from './property-values.ts';

export interface Invention {
  type: string;
  id: string;
  inputs: Properties;
}

const account = '123456789012';
export const region = process.env.AWS_REGION ?? 'eu-west-1';

/** Some things have their ARN for an id. */
export const arnOf = (type: string, id: string): string =>
  id.startsWith('arn:')
    ? id
    : `arn:aws:${type.split(':')[1]?.split('/')[0]}:${region}:${account}:${type.split(':')[2]}/${id}`;

/** What AWS would have answered: every output that the inputs don't say already, made up but of the right type. */
export function inventedOutputs(resource: Invention, fields: Fields): Properties {
  const outputs: Properties = { ...resource.inputs };
  for (const [name, { shape, optional }] of fields) {
    const given = outputs[name];
    if (isRecord(given) && shape.kind === 'object') outputs[name] = completed(given, name, shape, resource);
    if ((given !== undefined && given !== null) || optional) continue;
    outputs[name] = invented(name, shape, resource);
  }
  return outputs;
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Such as the security group that a cluster makes for itself, inside of what it was given. */
function completed(given: Record<string, unknown>, name: string, shape: Shape, resource: Invention): unknown {
  const whole = invented(name, shape, resource);
  return isRecord(whole) ? { ...whole, ...given } : given;
}

function invented(name: string, shape: Shape, resource: Invention): unknown {
  const exact = exactly(name, resource);
  if (exact !== undefined && shape.kind === 'string') return exact;
  switch (shape.kind) {
    case 'string':
      return `${resource.id}.${name}`;
    case 'number':
      return 1;
    case 'boolean':
      return false;
    case 'list':
      return [invented(name, shape.item, resource)];
    case 'map':
      return {};
    case 'object': {
      const fields = [...shape.fields()].filter(([, { optional }]) => !optional);
      return Object.fromEntries(fields.map(([field, { shape: inner }]) => [field, invented(field, inner, resource)]));
    }
    case 'choice':
      return shape.of[0] ? invented(name, shape.of[0], resource) : undefined;
    case 'anything':
      return undefined;
  }
}

/** Outputs that programs take apart. */
function exactly(name: string, { type, id }: Invention): string | undefined {
  if (type === 'aws:eks/cluster:Cluster') {
    // The workloads of a stack that stands on a cluster of AWS go to the real API server of the test.
    if (name === 'endpoint') return process.env.STAND_IN_CLUSTER_URL ?? `https://${id}.eks.example.test`;
    if (name === 'data') return process.env.STAND_IN_CLUSTER_CA ?? Buffer.from('a certificate').toString('base64');
  }
  if (name === 'arn') return arnOf(type, id);
  if (name === 'name') return id;
  if (name === 'region') return region;
  if (name === 'port') return '5432';
  if (name === 'issuer') return `https://oidc.example.test/${id}`;
  if (/^(endpoint|address|dnsName|primaryEndpointAddress|fqdn)$/.test(name)) return `${id}.example.test`;
  return undefined;
}

/** Answers to what programs look up. */
export function lookUp(token: string, args: Properties): Properties {
  const answers: Record<string, () => Properties> = {
    'aws:index/getAvailabilityZones:getAvailabilityZones': () => ({
      id: region,
      names: ['a', 'b', 'c'].map((zone) => `${region}${zone}`),
      zoneIds: ['a', 'b', 'c'].map((zone) => `${region}-az-${zone}`),
    }),
    'aws:index/getCallerIdentity:getCallerIdentity': () => ({
      id: account,
      accountId: account,
      arn: `arn:aws:iam::${account}:user/operator`,
      userId: 'operator',
    }),
    'aws:index/getRegion:getRegion': () => ({
      id: region,
      name: region,
      region,
      endpoint: `ec2.${region}.amazonaws.com`,
    }),
    'aws:index/getPartition:getPartition': () => ({ id: 'aws', partition: 'aws', dnsSuffix: 'amazonaws.com' }),
    'aws:route53/getZone:getZone': () => ({ ...args, id: 'Z0123456789', zoneId: 'Z0123456789' }),
    'aws:eks/getClusterAuth:getClusterAuth': () => ({ ...args, id: args.name, token: 'k8s-aws-v1.stand-in' }),
    'aws:ssm/getParameter:getParameter': () => ({ ...args, id: args.name, value: 'ami-0123456789abcdef0' }),
    'aws:iam/getPolicyDocument:getPolicyDocument': () => ({ id: 'policy', json: JSON.stringify(args) }),
  };
  const answer = answers[token];
  if (!answer) throw new Error(`the AWS stand-in has no function ${token}`);
  return answer();
}
