/** What of AWS moto imitates and our stacks use: these resources get their ids from it, and it refuses references that are wrong. */
import type { Properties } from './property-values.ts';

type Parameters = Record<string, string>;

interface Imitated {
  service: 'ec2' | 'elasticloadbalancing';
  create(inputs: Properties, name: string): Parameters;
  /** The element of the answer that holds the id. */
  id: string;
  /** A second call that belongs to the creation. */
  attach?(id: string, inputs: Properties): Parameters;
  /** Calls of the deletion, in order. */
  remove(id: string, inputs: Properties): Parameters[];
}

const versions = { ec2: '2016-11-15', elasticloadbalancing: '2015-12-01' };

const text = (value: unknown) => String(value ?? '');
const given = (parameters: Record<string, unknown>): Parameters =>
  Object.fromEntries(
    Object.entries(parameters).flatMap(([name, value]) =>
      value === undefined || value === null ? [] : [[name, text(value)]],
    ),
  );
const members = (name: string, values: unknown): Parameters =>
  Object.fromEntries(((values ?? []) as unknown[]).map((value, index) => [`${name}.member.${index + 1}`, text(value)]));

const imitated: Readonly<Record<string, Imitated>> = {
  'aws:ec2/vpc:Vpc': {
    service: 'ec2',
    create: ({ cidrBlock }) => given({ Action: 'CreateVpc', CidrBlock: cidrBlock }),
    id: 'vpcId',
    remove: (id) => [{ Action: 'DeleteVpc', VpcId: id }],
  },
  'aws:ec2/subnet:Subnet': {
    service: 'ec2',
    create: ({ vpcId, cidrBlock, availabilityZone }) =>
      given({ Action: 'CreateSubnet', VpcId: vpcId, CidrBlock: cidrBlock, AvailabilityZone: availabilityZone }),
    id: 'subnetId',
    remove: (id) => [{ Action: 'DeleteSubnet', SubnetId: id }],
  },
  'aws:ec2/securityGroup:SecurityGroup': {
    service: 'ec2',
    create: ({ vpcId, description, name }, logicalName) =>
      given({
        Action: 'CreateSecurityGroup',
        VpcId: vpcId,
        GroupName: name ?? logicalName,
        GroupDescription: description ?? 'Managed by Pulumi',
      }),
    id: 'groupId',
    remove: (id) => [{ Action: 'DeleteSecurityGroup', GroupId: id }],
  },
  'aws:ec2/internetGateway:InternetGateway': {
    service: 'ec2',
    create: () => ({ Action: 'CreateInternetGateway' }),
    id: 'internetGatewayId',
    attach: (id, { vpcId }) => given({ Action: 'AttachInternetGateway', InternetGatewayId: id, VpcId: vpcId }),
    remove: (id, { vpcId }) => [
      given({ Action: 'DetachInternetGateway', InternetGatewayId: id, VpcId: vpcId }),
      { Action: 'DeleteInternetGateway', InternetGatewayId: id },
    ],
  },
  'aws:ec2/eip:Eip': {
    service: 'ec2',
    create: () => ({ Action: 'AllocateAddress', Domain: 'vpc' }),
    id: 'allocationId',
    remove: (id) => [{ Action: 'ReleaseAddress', AllocationId: id }],
  },
  'aws:ec2/natGateway:NatGateway': {
    service: 'ec2',
    create: ({ subnetId, allocationId }) =>
      given({ Action: 'CreateNatGateway', SubnetId: subnetId, AllocationId: allocationId }),
    id: 'natGatewayId',
    remove: (id) => [{ Action: 'DeleteNatGateway', NatGatewayId: id }],
  },
  'aws:ec2/routeTable:RouteTable': {
    service: 'ec2',
    create: ({ vpcId }) => given({ Action: 'CreateRouteTable', VpcId: vpcId }),
    id: 'routeTableId',
    remove: (id) => [{ Action: 'DeleteRouteTable', RouteTableId: id }],
  },
  'aws:ec2/routeTableAssociation:RouteTableAssociation': {
    service: 'ec2',
    create: ({ routeTableId, subnetId }) =>
      given({ Action: 'AssociateRouteTable', RouteTableId: routeTableId, SubnetId: subnetId }),
    id: 'associationId',
    remove: (id) => [{ Action: 'DisassociateRouteTable', AssociationId: id }],
  },
  'aws:lb/loadBalancer:LoadBalancer': {
    service: 'elasticloadbalancing',
    create: ({ name, loadBalancerType, internal, subnets, securityGroups }, logicalName) => ({
      ...given({
        Action: 'CreateLoadBalancer',
        Name: name ?? logicalName,
        Type: loadBalancerType,
        Scheme: internal === true ? 'internal' : 'internet-facing',
      }),
      ...members('Subnets', subnets),
      ...members('SecurityGroups', securityGroups),
    }),
    id: 'LoadBalancerArn',
    remove: (id) => [{ Action: 'DeleteLoadBalancer', LoadBalancerArn: id }],
  },
  'aws:lb/targetGroup:TargetGroup': {
    service: 'elasticloadbalancing',
    create: ({ name, port, protocol, vpcId, targetType }, logicalName) =>
      given({
        Action: 'CreateTargetGroup',
        Name: name ?? logicalName,
        Port: port,
        Protocol: protocol,
        VpcId: vpcId,
        TargetType: targetType,
      }),
    id: 'TargetGroupArn',
    remove: (id) => [{ Action: 'DeleteTargetGroup', TargetGroupArn: id }],
  },
};

export class ImitatedNetwork {
  readonly #url: string;
  readonly #region: string;

  constructor(url: string, region: string) {
    this.#url = url;
    this.#region = region;
  }

  /** The new resource's id, or undefined where this kind is not imitated. @throws in moto's words */
  async create(type: string, name: string, inputs: Properties): Promise<string | undefined> {
    const kind = imitated[type];
    if (!kind) return undefined;
    const answer = await this.#call(kind, kind.create(inputs, name));
    const id = new RegExp(`<${kind.id}>([^<]+)</${kind.id}>`).exec(answer)?.[1];
    if (id === undefined) throw new Error(`moto gave no ${kind.id} for ${type} ${name}: ${answer}`);
    if (kind.attach) await this.#call(kind, kind.attach(id, inputs));
    return id;
  }

  async remove(type: string, id: string, inputs: Properties): Promise<void> {
    const kind = imitated[type];
    for (const parameters of kind?.remove(id, inputs) ?? []) await this.#call(kind as Imitated, parameters);
  }

  async #call({ service }: Imitated, parameters: Parameters): Promise<string> {
    const scope = `test/20260101/${this.#region}/${service}/aws4_request`;
    const answer = await fetch(this.#url, {
      method: 'POST',
      headers: { authorization: `AWS4-HMAC-SHA256 Credential=${scope}, SignedHeaders=host, Signature=none` },
      body: new URLSearchParams({ ...parameters, Version: versions[service] }),
      signal: AbortSignal.timeout(30_000),
    });
    const said = await answer.text();
    if (!answer.ok) throw new Error(`${parameters.Action}: ${/<Message>([^<]*)/.exec(said)?.[1] ?? said}`);
    return said;
  }
}
