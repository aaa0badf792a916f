/** Why pods do not come: what a cluster says of it, in one sentence each. Pure. */

/** As the API of Kubernetes gives objects, as far as they are looked at. */
export interface Look {
  pods: readonly PodSeen[];
  deployments: readonly DeploymentSeen[];
}

interface Condition {
  type: string;
  status: string;
  reason?: string;
  message?: string;
}

export interface PodSeen {
  metadata: { name: string; namespace?: string; labels?: Readonly<Record<string, string>> };
  status?: {
    phase?: string;
    conditions?: readonly Condition[];
    containerStatuses?: readonly { state?: { waiting?: { reason?: string; message?: string } } }[];
  };
}

export interface DeploymentSeen {
  metadata: { name: string; generation?: number };
  spec: { replicas?: number };
  status?: {
    observedGeneration?: number;
    replicas?: number;
    updatedReplicas?: number;
    availableReplicas?: number;
    conditions?: readonly Condition[];
  };
}

const inWords: Readonly<Record<string, string>> = {
  ErrImagePull: 'its image cannot be pulled',
  ImagePullBackOff: 'its image cannot be pulled',
  InvalidImageName: 'its image has no name that a registry could have',
  ErrImageNeverPull: 'its image is not on the node, and may not be pulled',
  CreateContainerConfigError: 'its container lacks something that it is given',
  CreateContainerError: 'its container cannot be made',
  CrashLoopBackOff: 'it ends again and again',
};

/** A sentence for each cause, the pod's app before it; the same cause of several pods is one. */
export function causesIn({ pods, deployments }: Look): string[] {
  return [...new Set([...pods.flatMap(causesOf), ...deployments.flatMap(refusalsOf)])];
}

function causesOf({ metadata, status }: PodSeen): string[] {
  const app = metadata.labels?.['app.kubernetes.io/name'] ?? metadata.name;
  const waiting = (status?.containerStatuses ?? []).flatMap(({ state }) => {
    const words = inWords[state?.waiting?.reason ?? ''];
    return words === undefined ? [] : [`${app}: ${words}. ${state?.waiting?.message ?? ''}`.trim()];
  });
  const unscheduled = (status?.conditions ?? [])
    .filter(({ type, status, reason }) => type === 'PodScheduled' && status === 'False' && reason === 'Unschedulable')
    .map(({ message = '' }) => `${app}: no node takes it. ${message}${adviceOn(message)}`);
  return [...waiting, ...unscheduled];
}

const adviceOn = (message: string) =>
  /free ports/.test(message)
    ? ' Room servers take ports of their node: a node holds one room server of one tenant. Add a node.'
    : '';

/** Quotas and admission refuse pods before there are any. */
const refusalsOf = ({ metadata, status }: DeploymentSeen): string[] =>
  (status?.conditions ?? [])
    .filter(({ type, status }) => type === 'ReplicaFailure' && status === 'True')
    .map(({ message = '' }) => `${metadata.name}: its pods are refused. ${message}`);

/** Names of those whose new pods do not all serve yet, or that still have old ones. */
export const unfinishedIn = ({ deployments }: Look): string[] =>
  deployments.filter((deployment) => !isRolledOut(deployment)).map(({ metadata }) => metadata.name);

function isRolledOut({ metadata, spec, status = {} }: DeploymentSeen): boolean {
  const wanted = spec.replicas ?? 1;
  const { observedGeneration = 0, replicas = 0, updatedReplicas = 0, availableReplicas = 0 } = status;
  return (
    observedGeneration >= (metadata.generation ?? 1) &&
    updatedReplicas >= wanted &&
    availableReplicas >= wanted &&
    replicas <= updatedReplicas
  );
}
