import * as k8s from '@pulumi/kubernetes';
import * as pulumi from '@pulumi/pulumi';
import type { Scope } from '../plan/names.ts';
import type { PhonePorts } from '../plan/phone.ts';
import type { RoomPorts, RoomServerPlan } from '../plan/rooms.ts';
import type { TenantPlan } from '../plan/tenant-plan.ts';
import { nodeAddressVariable, roomArguments } from '../room-configuration.ts';

export interface RoomAdmissionArgs {
  scope: Pick<Scope, 'labels'>;
  namespace: string;
  /** What runs there, and nothing else: such as `room server`. */
  what: string;
  image: string;
  /** Undefined: the image's own, and no others. */
  args: readonly string[] | undefined;
  /** Of the node, that it may listen on. */
  hostPorts: readonly number[];
}

/** Of a namespace of room servers. */
const roomsAdmitted = (scope: Scope, image: string, rooms: RoomServerPlan): RoomAdmissionArgs => ({
  ...{ scope, namespace: scope.roomsNamespace, what: 'room server', image },
  args: roomArguments(rooms),
  hostPorts: portsOf(rooms.ports),
});

const portsOf = ({ signalling, mediaTcp, mediaUdp, turn, metrics }: RoomPorts): number[] => [
  ...[signalling, mediaTcp, mediaUdp],
  ...(turn === undefined ? [] : [turn]),
  metrics,
];

/** Of a namespace of SIP bridges. */
const bridgesAdmitted = (
  scope: Scope,
  image: string,
  { signalling, health, metrics }: PhonePorts,
): RoomAdmissionArgs => ({
  ...{ scope, namespace: scope.phoneNamespace, what: 'SIP bridge', image },
  args: undefined,
  hostPorts: [signalling, health, metrics],
});

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

const asksItself = (way: 'httpGet' | 'tcpSocket', probe: string) =>
  `(has(c.${probe}.${way}) && !has(c.${probe}.${way}.host))`;

const list = (texts: readonly string[]) => `[${texts.map((text) => `'${text}'`).join(', ')}]`;

/** CEL over a pod: everything that `restricted` asks for, except that it may share its node's network. */
const rulesOf = ({ image, what, args, hostPorts }: RoomAdmissionArgs): Rule[] => [
  {
    expression: `${containers}.all(c, c.image == '${image}')`,
    message: `Only the ${what} that the stack names runs here.`,
  },
  {
    expression: `${containers}.all(c, !has(c.command) && ${args === undefined ? '!has(c.args)' : `has(c.args) && c.args == ${list(args)}`})`,
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
    expression: `${containers}.all(c, !has(c.${probe}) || ${asksItself('httpGet', probe)} || ${asksItself('tcpSocket', probe)})`,
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
    // 0 is none.
    expression: `${containers}.all(c, !has(c.ports) || c.ports.all(p, !has(p.hostPort) || p.hostPort in [${[0, ...hostPorts].join(', ')}]))`,
    message: "It listens on this tenant's ports only.",
  },
];

/** Takes back, for a namespace whose pods share their node's network, what its level allows beyond that. */
export class RoomAdmission extends pulumi.ComponentResource {
  constructor(name: string, args: RoomAdmissionArgs, opts?: pulumi.ComponentResourceOptions) {
    super('parley:kubernetes:RoomAdmission', name, {}, opts);
    const { namespace } = args;
    const metadata = { name: namespace, labels: { ...args.scope.labels } };
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
            namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } },
          },
        },
      },
      { parent: this },
    );
    this.registerOutputs({});
  }
}

/** One for each of a tenant's namespaces that share their nodes' network. */
export function admissionsOf(name: string, plan: TenantPlan, opts: pulumi.ComponentResourceOptions): RoomAdmission[] {
  const { scope, rooms, phone } = plan;
  const { roomServer, sipBridge = '' } = plan.tenant.images;
  return [
    new RoomAdmission(`${name}-admission`, roomsAdmitted(scope, roomServer, rooms), opts),
    ...(phone === undefined
      ? []
      : [new RoomAdmission(`${name}-phone-admission`, bridgesAdmitted(scope, sipBridge, phone.ports), opts)]),
  ];
}
