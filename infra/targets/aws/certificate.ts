import * as aws from '@pulumi/aws';
import * as pulumi from '@pulumi/pulumi';
import type { AwsPlan } from './plan.ts';

export interface CertificateArgs {
  names: readonly [string, ...string[]];
  zoneId: pulumi.Input<string>;
  tags: AwsPlan['tags'];
}

/** A certificate of ACM for the names, proven by DNS and renewed by AWS. */
export class Certificate extends pulumi.ComponentResource {
  /** Known when it is issued. */
  readonly arn: pulumi.Output<string>;

  constructor(name: string, { names, zoneId, tags }: CertificateArgs, opts?: pulumi.ComponentResourceOptions) {
    super('parley:aws:Certificate', name, {}, opts);
    const child = { parent: this };
    const [domainName, ...others] = names;
    const certificate = new aws.acm.Certificate(
      name,
      { domainName, subjectAlternativeNames: others, validationMethod: 'DNS', tags: { ...tags } },
      child,
    );
    const records = names.map((host, index) => {
      const proof = certificate.domainValidationOptions.apply((options) => options[index]);
      return new aws.route53.Record(
        `${name}-${host}`,
        {
          zoneId,
          name: proof.apply((one) => one?.resourceRecordName ?? ''),
          type: proof.apply((one) => one?.resourceRecordType ?? 'CNAME'),
          records: [proof.apply((one) => one?.resourceRecordValue ?? '')],
          ttl: 300,
          allowOverwrite: true,
        },
        child,
      );
    });
    const issued = new aws.acm.CertificateValidation(
      name,
      { certificateArn: certificate.arn, validationRecordFqdns: records.map(({ fqdn }) => fqdn) },
      child,
    );
    this.arn = issued.certificateArn;
    this.registerOutputs({ arn: this.arn });
  }
}

export interface Balanced {
  dnsName: pulumi.Input<string>;
  zoneId: pulumi.Input<string>;
}

/** A name that leads to a balancer. */
export const aliasRecord = (
  host: string,
  { zoneId, balancer }: { zoneId: pulumi.Input<string>; balancer: Balanced },
  opts: pulumi.CustomResourceOptions,
) =>
  new aws.route53.Record(
    host,
    {
      zoneId,
      name: host,
      type: 'A',
      aliases: [{ name: balancer.dnsName, zoneId: balancer.zoneId, evaluateTargetHealth: true }],
    },
    opts,
  );
