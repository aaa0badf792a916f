import * as k8s from '@pulumi/kubernetes';
import * as pulumi from '@pulumi/pulumi';
import type { Scope } from '../plan/names.ts';
import type { RoomServerPlan } from '../plan/rooms.ts';
import { nodeAddressVariable, roomArguments } from '../room-configuration.ts';

export interface RoomAdmissionArgs {
  scope: Scope;
  /** Of the room server. */
  image: string;
  rooms: RoomServerPlan;
}

interface Rule {
  expression: string;
  message: string;
}

const containers = 'object.spec.containers';
const pod = 'object.spec.securityContext';
const own = 'c.securityContext';

const lacks = (context: string, ...fields: string[]) => fields.map((field) => `!has(${context}.${field})`).join(' && ');
const is = (field: string) => `has(${field}) && ${field}`;
const isNot = (field: string) => `has(${field}) && !${field}`;

const list = (texts: readonly string[]) => `[${texts.map((text) => `'${text}'`).join(', ')}]`;

/** CEL over a pod: everything that `restricted` asks for, except that it may share its node's network. */
/** With 0, which is none. */
const hostPorts = ({ ports: { signalling, mediaTcp, mediaUdp, turn, metrics } }: RoomServerPlan): string =>
  [0, signalling, mediaTcp, mediaUdp, ...(turn === undefined ? [] : [turn]), metrics].join(', ');

const rulesOf = ({ image, rooms }: RoomAdmissionArgs): Rule[] => [
  {
    expression: `${containers}.all(c, c.image == '${image}')`,
    message: 'Only the room server that the stack names runs here.',
  },
  {
    expression: `${containers}.all(c, !has(c.command) && has(c.args) && c.args == ${list(roomArguments(rooms))})`,
    message: 'It is started as the stack starts it.',
  },
  {
    expression: `${containers}.all(c, !has(c.envFrom) && (!has(c.env) || c.env.all(e, e.name == '${nodeAddressVariable}')))`,
    message: 'It is told nothing but the address of its node.',
  },
  {
    expression: `${containers}.all(c, !has(c.lifecycle) || (!has(c.lifecycle.postStart) && (!has(c.lifecycle.preStop) || has(c.lifecycle.preStop.sleep))))`,
    message: 'Nothing else is run in it when it starts or stops.',
  },
  ...['startupProbe', 'livenessProbe', 'readinessProbe'].map((probe) => ({
    expression: `${containers}.all(c, !has(c.${probe}) || (has(c.${probe}.httpGet) && !has(c.${probe}.httpGet.host)))`,
    message: `Its ${probe} asks the server itself, and runs nothing.`,
  })),
  {
    expression: `size(${containers}) == 1 && ${lacks('object.spec', 'initContainers', 'ephemeralContainers')}`,
    message: 'A pod has the one container only.',
  },
  {
    expression: `!(${is('object.spec.hostPID')}) && !(${is('object.spec.hostIPC')})`,
    message: 'Processes and memory of the node are not shared, only its network.',
  },
  {
    expression: `has(${pod}) && ${is(`${pod}.runAsNonRoot`)} && has(${pod}.runAsUser) && ${pod}.runAsUser > 0`,
    message: 'It does not run as root.',
  },
  {
    expression: `has(${pod}.seccompProfile) && ${pod}.seccompProfile.type == 'RuntimeDefault' && ${lacks(pod, 'appArmorProfile', 'seLinuxOptions', 'sysctls')}`,
    message: 'It keeps the limits that the container runtime sets.',
  },
  {
    expression: `${containers}.all(c, has(${own}) && ${lacks(own, 'runAsUser', 'runAsNonRoot', 'seccompProfile', 'appArmorProfile', 'seLinuxOptions')} && (!has(${own}.procMount) || ${own}.procMount == 'Default'))`,
    message: 'What holds for the pod holds for its container.',
  },
  {
    expression: `${containers}.all(c, ${isNot(`${own}.allowPrivilegeEscalation`)} && ${is(`${own}.readOnlyRootFilesystem`)} && !(${is(`${own}.privileged`)}))`,
    message: 'It gains no privileges and writes nothing.',
  },
  {
    expression: `${containers}.all(c, has(${own}.capabilities) && has(${own}.capabilities.drop) && ${own}.capabilities.drop.exists(d, d == 'ALL') && ${lacks(`${own}.capabilities`, 'add')})`,
    message: 'It has no capabilities.',
  },
  {
    expression:
      '!has(object.spec.volumes) || object.spec.volumes.all(v, has(v.secret) || has(v.configMap) || has(v.emptyDir) || has(v.projected))',
    message: "It mounts nothing of the node's.",
  },
  {
    expression: `${containers}.all(c, !has(c.ports) || c.ports.all(p, !has(p.hostPort) || p.hostPort in [${hostPorts(rooms)}]))`,
    message: "It listens on this tenant's ports only.",
  },
];

/** Takes back, for the namespace of the room servers, what its level allows beyond their node's network. */
export class RoomAdmission extends pulumi.ComponentResource {
  constructor(name: string, args: RoomAdmissionArgs, opts?: pulumi.ComponentResourceOptions) {
    super('parley:kubernetes:RoomAdmission', name, {}, opts);
    const { roomsNamespace, labels } = args.scope;
    const metadata = { name: roomsNamespace, labels: { ...labels } };
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
          validations: rulesOf(args).map(({ expression, message }) => ({ expression, message })),
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
            namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': roomsNamespace } },
          },
        },
      },
      { parent: this },
    );
    this.registerOutputs({});
  }
}
