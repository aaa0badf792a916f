import { at, type Candidate, isRecord, listAt, type PolicyRule } from './rule.ts';

/** Whether a namespace is one whose pods share their node's network, and do nothing else beyond `restricted`: RoomAdmission sees to it. */
export const isOnNodesNetwork = (namespace: unknown): boolean => /-(rooms|phone)$/.test(String(namespace));

interface Pod {
  spec: Record<string, unknown>;
  namespace: unknown;
  /** Whether it is meant to end by itself. */
  ends: boolean;
}

const podPaths: Readonly<Record<string, string>> = {
  'kubernetes:core/v1:Pod': 'spec',
  'kubernetes:batch/v1:CronJob': 'spec.jobTemplate.spec.template.spec',
};
const endingTypes = ['kubernetes:batch/v1:Job', 'kubernetes:batch/v1:CronJob'];

function podOf({ type, props }: Candidate): Pod | undefined {
  if (!type.startsWith('kubernetes:')) return undefined;
  const spec = at(props, podPaths[type] ?? 'spec.template.spec');
  if (!isRecord(spec)) return undefined;
  return { spec, namespace: at(props, 'metadata.namespace'), ends: endingTypes.includes(type) };
}

const containersOf = ({ spec }: Pod): Record<string, unknown>[] =>
  [...listAt(spec, 'containers'), ...listAt(spec, 'initContainers')].filter(isRecord);

const faulty = (pod: Pod, isSound: (container: Record<string, unknown>) => boolean): string | undefined =>
  containersOf(pod)
    .filter((container) => !isSound(container))
    .map(({ name }) => String(name))
    .join(', ') || undefined;

const overContainers =
  (sentence: (names: string) => string, isSound: (container: Record<string, unknown>, pod: Pod) => boolean) =>
  (candidate: Candidate): string | undefined => {
    const pod = podOf(candidate);
    const names = pod && faulty(pod, (container) => isSound(container, pod));
    return names && sentence(names);
  };

export const limitsOnContainers: PolicyRule = {
  name: 'container-limits',
  check: overContainers(
    (names) => `${names} must say what it asks for and may use at most, of cpu and of memory.`,
    (container) =>
      ['requests', 'limits'].every((kind) =>
        ['cpu', 'memory'].every((what) => typeof at(container, `resources.${kind}.${what}`) === 'string'),
      ),
  ),
};

export const probesOnContainers: PolicyRule = {
  name: 'container-probes',
  check: overContainers(
    (names) => `${names} must say how to see that it lives and that it is ready.`,
    (container, pod) => pod.ends || ['livenessProbe', 'readinessProbe'].every((probe) => isRecord(container[probe])),
  ),
};

export const imagesByDigest: PolicyRule = {
  name: 'image-by-digest',
  check: overContainers(
    (names) => `${names} must name its image by digest: a tag can be moved.`,
    ({ image }) => typeof image === 'string' && /@sha256:[0-9a-f]{64}$/.test(image),
  ),
};

const isConfined = (container: Record<string, unknown>): boolean =>
  at(container, 'securityContext.allowPrivilegeEscalation') === false &&
  at(container, 'securityContext.readOnlyRootFilesystem') === true &&
  at(container, 'securityContext.privileged') !== true &&
  listAt(container, 'securityContext.capabilities.drop').includes('ALL') &&
  at(container, 'securityContext.capabilities.add') === undefined;

/** A kubelet refuses it late, with an error of its own. */
const isRoot = (place: Record<string, unknown>) => at(place, 'securityContext.runAsUser') === 0;

export const restrictedPods: PolicyRule = {
  name: 'restricted-pods',
  check(candidate) {
    const pod = podOf(candidate);
    if (!pod) return undefined;
    const { spec } = pod;
    if (at(spec, 'securityContext.runAsNonRoot') !== true) return 'The pod must say runAsNonRoot.';
    if (isRoot(spec) || containersOf(pod).some(isRoot)) return 'The pod must not run as root (runAsUser 0).';
    if (at(spec, 'securityContext.seccompProfile.type') !== 'RuntimeDefault')
      return 'The pod must have the default seccomp profile.';
    if (spec.automountServiceAccountToken !== false) return "The pod must not carry a token of the cluster's API.";
    if (spec.hostPID === true || spec.hostIPC === true) return "The pod must not share its node's processes or memory.";
    if (spec.hostNetwork === true && !isOnNodesNetwork(pod.namespace))
      return "Only room servers share their node's network, and SIP bridges do, in namespaces of their own.";
    if (listAt(spec, 'volumes').some((volume) => isRecord(volume) && volume.hostPath !== undefined))
      return "The pod must not mount its node's files.";
    const names = faulty(pod, isConfined);
    return names && `${names} must drop all capabilities, gain no privileges and write nowhere but to its volumes.`;
  },
};

const levels = ['restricted', 'privileged'];

export const namespaceLevels: PolicyRule = {
  name: 'namespace-security-level',
  check({ type, props }) {
    if (type !== 'kubernetes:core/v1:Namespace') return undefined;
    const labels = at(props, 'metadata.labels');
    const level = isRecord(labels) ? labels['pod-security.kubernetes.io/enforce'] : undefined;
    if (!levels.includes(String(level))) return 'The namespace must enforce a level of pod security.';
    const isPrivileged = level === 'privileged';
    return isPrivileged && !isOnNodesNetwork(at(props, 'metadata.name'))
      ? 'The namespace must enforce the level restricted.'
      : undefined;
  },
};

/** Says of an Ingress without a certificate of its own which one its host name has. */
export const certificateAnnotation = 'parley.dev/certificate';

export const tlsOnIngresses: PolicyRule = {
  name: 'tls-on-ingress',
  check({ type, props }) {
    if (type !== 'kubernetes:networking.k8s.io/v1:Ingress' || listAt(props, 'spec.tls').length > 0) return undefined;
    const annotations = at(props, 'metadata.annotations');
    return isRecord(annotations) && typeof annotations[certificateAnnotation] === 'string'
      ? undefined
      : `It must name a certificate (spec.tls), or say by ${certificateAnnotation} which one its host name has.`;
  },
};
