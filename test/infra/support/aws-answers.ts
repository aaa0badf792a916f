/** Answers of AWS's APIs while something does not come, by the command that asks for them. The judge of aws-waits.test.ts compares them with AWS's models. */
export const awsAnswers: Readonly<Record<string, object>> = {
  'eks describe-cluster': {
    cluster: {
      name: 'parley-acme',
      status: 'CREATING',
      health: {
        issues: [{ code: 'Ec2SubnetNotFound', message: 'We couldn’t find subnet-1.', resourceIds: ['subnet-1'] }],
      },
    },
  },
  'eks list-nodegroups': { nodegroups: ['parley-acme-agents-1'] },
  'eks describe-nodegroup': {
    nodegroup: {
      nodegroupName: 'parley-acme-agents-1',
      status: 'CREATING',
      health: {
        issues: [
          {
            code: 'AsgInstanceLaunchFailures',
            message:
              'You have requested more vCPU capacity than your current vCPU limit of 32 allows. VcpuLimitExceeded.',
            resourceIds: ['eks-parley-acme-agents-1'],
          },
        ],
      },
    },
  },
  'eks list-addons': { addons: ['coredns'] },
  'eks describe-addon': {
    addon: {
      addonName: 'coredns',
      status: 'DEGRADED',
      health: { issues: [{ code: 'InsufficientNumberOfReplicas', message: 'No pod is available.', resourceIds: [] }] },
    },
  },
  'autoscaling describe-auto-scaling-groups': {
    AutoScalingGroups: [{ AutoScalingGroupName: 'eks-rooms-1' }, { AutoScalingGroupName: 'eks-general-1' }],
  },
  'autoscaling describe-scaling-activities': {
    Activities: [
      { AutoScalingGroupName: 'eks-rooms-1', StatusCode: 'PreInService' },
      {
        AutoScalingGroupName: 'eks-rooms-1',
        StatusCode: 'Failed',
        StatusMessage: 'We currently do not have sufficient c7i.large capacity in the Availability Zone you requested.',
      },
      { AutoScalingGroupName: 'eks-general-1', StatusCode: 'Successful' },
      { AutoScalingGroupName: 'eks-general-1', StatusCode: 'Failed', StatusMessage: 'It was before.' },
    ],
  },
  'rds describe-db-instances': {
    DBInstances: [{ DBInstanceIdentifier: 'parley-acme', DBInstanceStatus: 'incompatible-parameters' }],
  },
  'rds describe-events': {
    Events: [
      { SourceIdentifier: 'parley-acme', Message: 'max_connections is out of bounds.', EventCategories: ['failure'] },
    ],
  },
  'elasticache describe-events': {
    Events: [
      { SourceIdentifier: 'parley-acme', Message: 'Replication group parley-acme created' },
      { SourceIdentifier: 'parley-acme', Message: 'Failed to create cache node 0002: insufficient capacity' },
    ],
  },
  'acm list-certificates': {
    CertificateSummaryList: [
      { CertificateArn: 'arn:aws:acm:eu-west-1:1:certificate/other', DomainName: 'other.example.com' },
      { CertificateArn: 'arn:aws:acm:eu-west-1:1:certificate/own', DomainName: 'acme.example.com' },
    ],
  },
  'acm describe-certificate': {
    Certificate: {
      DomainName: 'acme.example.com',
      Status: 'PENDING_VALIDATION',
      DomainValidationOptions: [
        {
          DomainName: 'acme.example.com',
          ValidationStatus: 'PENDING_VALIDATION',
          ResourceRecord: { Name: '_a1b2.acme.example.com.', Type: 'CNAME', Value: '_c3d4.acm-validations.aws.' },
        },
        { DomainName: 'turn.acme.example.com', ValidationStatus: 'SUCCESS' },
      ],
    },
  },
};
