import * as k8s from '@pulumi/kubernetes';
import * as pulumi from '@pulumi/pulumi';
import type { TenantPlan } from '../plan.ts';

interface Rule {
  expression: string;
  message: string;
}

const containers = 'object.spec.containers';

/** CEL over a pod: everything that `restricted` asks for, except that it may share its node's network. */
const rulesOf = ({ tenant, rooms }: TenantPlan): Rule[] => [
  {
    expression: `${containers}.all(c, c.image == '${tenant.images.roomServer}')`,
    message: 'Only the room server that the stack names runs here.',
  },
  {
    expression: '!has(object.spec.initContainers) && !has(object.spec.ephemeralContainers)',
    message: 'A pod has the one container only.',
  },
  {
    expression:
      '!(has(object.spec.hostPID) && object.spec.hostPID) && !(has(object.spec.hostIPC) && object.spec.hostIPC)',
    message: 'Processes and memory of the node are not shared, only its network.',
  },
  {
    expression:
      'has(object.spec.securityContext) && has(object.spec.securityContext.runAsNonRoot) && object.spec.securityContext.runAsNonRoot',
    message: 'It does not run as root.',
  },
  {
    expression: `${containers}.all(c, has(c.securityContext) && has(c.securityContext.allowPrivilegeEscalation) && !c.securityContext.allowPrivilegeEscalation && has(c.securityContext.readOnlyRootFilesystem) && c.securityContext.readOnlyRootFilesystem && !(has(c.securityContext.privileged) && c.securityContext.privileged) && !has(c.securityContext.runAsUser))`,
    message: 'It gains no privileges and writes nothing.',
  },
  {
    expression: `${containers}.all(c, has(c.securityContext.capabilities) && has(c.securityContext.capabilities.drop) && c.securityContext.capabilities.drop.exists(d, d == 'ALL') && !has(c.securityContext.capabilities.add))`,
    message: 'It has no capabilities.',
  },
  {
    expression:
      '!has(object.spec.volumes) || object.spec.volumes.all(v, has(v.secret) || has(v.configMap) || has(v.emptyDir) || has(v.projected))',
    message: "It mounts nothing of the node's.",
  },
  {
    expression: `${containers}.all(c, !has(c.ports) || c.ports.all(p, !has(p.hostPort) || p.hostPort == 0 || (p.hostPort >= ${rooms.ports.signalling} && p.hostPort < ${rooms.ports.signalling + 10})))`,
    message: "It listens on this tenant's ports only.",
  },
];

/** Takes back, for the namespace of the room servers, what its level allows beyond their node's network. */
export class RoomAdmission extends pulumi.ComponentResource {
  constructor(name: string, { plan }: { plan: TenantPlan }, opts?: pulumi.ComponentResourceOptions) {
    super('parley:kubernetes:RoomAdmission', name, {}, opts);
    const metadata = { name: plan.names.roomsNamespace, labels: { ...plan.labels } };
    const policy = new k8s.admissionregistration.v1.ValidatingAdmissionPolicy(
      name,
      {
        metadata,
        spec: {
          failurePolicy: 'Fail',
          matchConstraints: {
            resourceRules: [
              {
                apiGroups: [''],
                apiVersions: ['v1'],
                resources: ['pods', 'pods/ephemeralcontainers'],
                operations: ['CREATE', 'UPDATE'],
              },
            ],
          },
          validations: rulesOf(plan).map(({ expression, message }) => ({ expression, message })),
        },
      },
      { parent: this },
    );
    new k8s.admissionregistration.v1.ValidatingAdmissionPolicyBinding(
      name,
      {
        metadata,
        spec: {
          policyName: policy.metadata.name,
          validationActions: ['Deny'],
          matchResources: {
            namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': plan.names.roomsNamespace } },
          },
        },
      },
      { parent: this },
    );
    this.registerOutputs({});
  }
}
