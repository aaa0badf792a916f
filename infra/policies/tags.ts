import { at, isRecord, type PolicyRule } from './rule.ts';

/** Types of AWS that take no tags: parts and links of others that do. */
const untaggable = [
  'aws:iam/rolePolicy:RolePolicy',
  'aws:iam/rolePolicyAttachment:RolePolicyAttachment',
  'aws:ec2/routeTableAssociation:RouteTableAssociation',
  'aws:ec2/route:Route',
  'aws:route53/record:Record',
  'aws:acm/certificateValidation:CertificateValidation',
  'aws:autoscaling/attachment:Attachment',
  'aws:autoscaling/tag:Tag',
  'aws:eks/accessPolicyAssociation:AccessPolicyAssociation',
  'aws:kms/alias:Alias',
  'aws:lb/listenerCertificate:ListenerCertificate',
  'aws:secretsmanager/secretVersion:SecretVersion',
];

/** Every resource says whose it is: bills and clean-ups go by it. */
export const taggedWithTenant = (slug: string): PolicyRule => ({
  name: 'tagged-with-tenant',
  check({ type, props }) {
    if (type.startsWith('aws:') && !untaggable.includes(type)) {
      const owner = isRecord(props.tags) ? props.tags['parley:tenant'] : undefined;
      return owner === slug ? undefined : `It must carry the tag parley:tenant=${slug}.`;
    }
    if (type.startsWith('kubernetes:') && !type.startsWith('kubernetes:helm.sh/')) {
      const labels = at(props, 'metadata.labels');
      const owner = isRecord(labels) ? labels['parley.dev/tenant'] : undefined;
      return owner === slug ? undefined : `It must carry the label parley.dev/tenant=${slug}.`;
    }
    return undefined;
  },
});
