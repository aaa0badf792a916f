import * as aws from '@pulumi/aws';
import * as pulumi from '@pulumi/pulumi';
import type { AwsPlan, FoundationPlan } from './plan.ts';

export interface NetworkArgs {
  plan: FoundationPlan;
  tags: AwsPlan['tags'];
}

/** A network over three zones: balancers and room servers have public addresses, nothing else has. */
export class Network extends pulumi.ComponentResource {
  readonly vpc: aws.ec2.Vpc;
  readonly publicSubnets: aws.ec2.Subnet[];
  readonly privateSubnets: aws.ec2.Subnet[];

  constructor(name: string, { plan, tags }: NetworkArgs, opts?: pulumi.ComponentResourceOptions) {
    super('parley:aws:Network', name, {}, opts);
    const child = { parent: this };
    const named = (what: string) => ({ tags: { ...tags, Name: `${name}-${what}` } });
    const { names: zones } = aws.getAvailabilityZonesOutput({ state: 'available' }, child);
    this.vpc = new aws.ec2.Vpc(
      name,
      { cidrBlock: plan.cidr, enableDnsHostnames: true, enableDnsSupport: true, ...named('network') },
      child,
    );
    const vpcId = this.vpc.id;
    const subnet = (kind: 'public' | 'private') => (cidrBlock: string, zone: number) =>
      new aws.ec2.Subnet(
        `${name}-${kind}-${zone}`,
        {
          vpcId,
          cidrBlock,
          availabilityZone: zones.apply((names) => names[zone] ?? ''),
          mapPublicIpOnLaunch: kind === 'public',
          ...named(`${kind}-${zone}`),
        },
        child,
      );
    this.publicSubnets = plan.publicCidrs.map(subnet('public'));
    this.privateSubnets = plan.privateCidrs.map(subnet('private'));
    const gateway = new aws.ec2.InternetGateway(name, { vpcId, ...named('internet') }, child);
    const outside = new aws.ec2.RouteTable(`${name}-public`, { vpcId, ...named('public') }, child);
    new aws.ec2.Route(
      `${name}-public`,
      { routeTableId: outside.id, destinationCidrBlock: '0.0.0.0/0', gatewayId: gateway.id },
      child,
    );
    this.publicSubnets.forEach((subnet, zone) => {
      new aws.ec2.RouteTableAssociation(
        `${name}-public-${zone}`,
        { subnetId: subnet.id, routeTableId: outside.id },
        child,
      );
    });
    const ways = this.publicSubnets.slice(0, plan.natGateways).map((subnet, zone) => {
      const address = new aws.ec2.Eip(`${name}-nat-${zone}`, { domain: 'vpc', ...named(`nat-${zone}`) }, child);
      return new aws.ec2.NatGateway(
        `${name}-${zone}`,
        { subnetId: subnet.id, allocationId: address.id, ...named(`nat-${zone}`) },
        { ...child, dependsOn: gateway },
      );
    });
    this.privateSubnets.forEach((subnet, zone) => {
      const inside = new aws.ec2.RouteTable(`${name}-private-${zone}`, { vpcId, ...named(`private-${zone}`) }, child);
      const way = ways[zone % ways.length];
      if (!way) throw new Error('a network has at least one way out');
      new aws.ec2.Route(
        `${name}-private-${zone}`,
        { routeTableId: inside.id, destinationCidrBlock: '0.0.0.0/0', natGatewayId: way.id },
        child,
      );
      new aws.ec2.RouteTableAssociation(
        `${name}-private-${zone}`,
        { subnetId: subnet.id, routeTableId: inside.id },
        child,
      );
    });
    this.registerOutputs({});
  }
}
