import * as aws from '@pulumi/aws';
import * as pulumi from '@pulumi/pulumi';
import type { AwsPlan } from './plan.ts';

export interface SecurityGroupsArgs {
  vpcId: pulumi.Input<string>;
  cidr: string;
  tags: AwsPlan['tags'];
  hasPhone: boolean;
}

const everybody = '0.0.0.0/0';

/** Who may reach what of a foundation: everybody the balancers, and each tenant's media by rules of its own. */
export class SecurityGroups extends pulumi.ComponentResource {
  readonly balancer: aws.ec2.SecurityGroup;
  readonly mediaBalancer: aws.ec2.SecurityGroup;
  /** Undefined where nobody calls. */
  readonly phoneBalancer: aws.ec2.SecurityGroup | undefined;
  readonly rooms: aws.ec2.SecurityGroup;
  readonly database: aws.ec2.SecurityGroup;
  readonly cache: aws.ec2.SecurityGroup;

  constructor(
    name: string,
    { vpcId, cidr, tags, hasPhone }: SecurityGroupsArgs,
    opts?: pulumi.ComponentResourceOptions,
  ) {
    super('parley:aws:SecurityGroups', name, {}, opts);
    const group = (what: string, description: string) =>
      new aws.ec2.SecurityGroup(
        `${name}-${what}`,
        { vpcId, description, tags: { ...tags, Name: `${name}-${what}` } },
        { parent: this },
      );
    const opened = (what: string, { id }: aws.ec2.SecurityGroup, port: number, from: string) =>
      new aws.vpc.SecurityGroupIngressRule(
        `${name}-${what}`,
        { securityGroupId: id, ipProtocol: 'tcp', fromPort: port, toPort: port, cidrIpv4: from, tags: { ...tags } },
        { parent: this },
      );
    const toNodes = (what: string, { id }: aws.ec2.SecurityGroup) =>
      new aws.vpc.SecurityGroupEgressRule(
        `${name}-${what}`,
        { securityGroupId: id, ipProtocol: '-1', cidrIpv4: cidr, tags: { ...tags } },
        { parent: this },
      );
    this.balancer = group('balancer', 'REST, pages and signalling');
    this.mediaBalancer = group('media-balancer', 'TURN over TLS');
    this.phoneBalancer = hasPhone ? group('phone-balancer', 'SIP from carriers') : undefined;
    this.rooms = group('rooms', 'Media of room servers');
    this.database = group('database', 'PostgreSQL, from inside the network');
    this.cache = group('cache', 'Valkey, from inside the network');
    opened('balancer-https', this.balancer, 443, everybody);
    opened('balancer-http', this.balancer, 80, everybody);
    opened('media-balancer-https', this.mediaBalancer, 443, everybody);
    opened('database', this.database, 5_432, cidr);
    opened('cache', this.cache, 6_379, cidr);
    toNodes('balancer', this.balancer);
    toNodes('media-balancer', this.mediaBalancer);
    if (this.phoneBalancer) toNodes('phone-balancer', this.phoneBalancer);
    this.registerOutputs({});
  }
}
