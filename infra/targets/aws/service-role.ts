import * as aws from '@pulumi/aws';
import type * as pulumi from '@pulumi/pulumi';
import type { AwsPlan } from './plan.ts';

export interface ServiceRoleArgs {
  /** Who may take it, such as `eks.amazonaws.com`. */
  service: string;
  /** AWS's own policies, by their names. */
  policies: readonly string[];
  tags: AwsPlan['tags'];
  name?: string;
}

export interface ServiceRole {
  name: pulumi.Output<string>;
  arn: pulumi.Output<string>;
  attachments: aws.iam.RolePolicyAttachment[];
}

/** A role that a service of AWS takes. Pods take theirs by pod identity, which tags the session, too. */
export function serviceRole(
  name: string,
  { service, policies, tags, name: given }: ServiceRoleArgs,
  opts: pulumi.CustomResourceOptions,
): ServiceRole {
  const actions = service === 'pods.eks.amazonaws.com' ? ['sts:AssumeRole', 'sts:TagSession'] : ['sts:AssumeRole'];
  const role = new aws.iam.Role(
    name,
    {
      ...(given === undefined ? {} : { name: given }),
      assumeRolePolicy: JSON.stringify({
        Version: '2012-10-17',
        Statement: [{ Effect: 'Allow', Principal: { Service: service }, Action: actions }],
      }),
      tags: { ...tags },
    },
    opts,
  );
  const attachments = policies.map(
    (policy) =>
      new aws.iam.RolePolicyAttachment(
        `${name}-${policy}`,
        { role: role.name, policyArn: `arn:aws:iam::aws:policy/${policy}` },
        opts,
      ),
  );
  return { name: role.name, arn: role.arn, attachments };
}
