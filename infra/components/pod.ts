/** The parts of a pod that are the same for all of ours: what it may do, how much it takes, where it runs. */
import type { types } from '@pulumi/kubernetes';
import type { Scope } from '../plan/names.ts';
import type { Resources } from '../plan/resources.ts';
import { mounts, type Variable } from '../plan/variables.ts';

type Pod = types.input.core.v1.PodSpec;
type Container = types.input.core.v1.Container;

/** The image's own user, which may write nothing but what is mounted for it. */
const userId = 10_001;
/** The user of PostgreSQL's Debian images. */
export const postgresUser = 999;

export const podSecurity = (user = userId): types.input.core.v1.PodSecurityContext => ({
  runAsNonRoot: true,
  runAsUser: user,
  runAsGroup: user,
  fsGroup: user,
  seccompProfile: { type: 'RuntimeDefault' },
});

export const containerSecurity: types.input.core.v1.SecurityContext = {
  allowPrivilegeEscalation: false,
  readOnlyRootFilesystem: true,
  capabilities: { drop: ['ALL'] },
};

/** What every pod of ours says of itself beside its containers. */
export const quietPod = ({
  pullSecret,
}: Pick<Scope, 'pullSecret'>): Pick<
  Pod,
  'automountServiceAccountToken' | 'enableServiceLinks' | 'imagePullSecrets'
> => ({
  automountServiceAccountToken: false,
  // Else every service's address is in the environment, where nobody reads it.
  enableServiceLinks: false,
  ...(pullSecret !== undefined && { imagePullSecrets: [{ name: pullSecret }] }),
});

export const resourcesOf = (resources: Resources): types.input.core.v1.ResourceRequirements => ({
  requests: { cpu: `${resources.cpuMilli}m`, memory: `${resources.memoryMib}Mi` },
  limits: { cpu: `${resources.cpuLimitMilli}m`, memory: `${resources.memoryLimitMib}Mi` },
});

/** Over zones first and nodes second, as far as there are any. */
export const spread = (matchLabels: Record<string, string>): types.input.core.v1.TopologySpreadConstraint[] =>
  ['topology.kubernetes.io/zone', 'kubernetes.io/hostname'].map((topologyKey) => ({
    maxSkew: 1,
    topologyKey,
    whenUnsatisfiable: 'ScheduleAnyway',
    labelSelector: { matchLabels },
  }));

/** Alive while it answers at all; in use while it says it is ready. */
export const probesAt = (
  port: number | string,
): Pick<Container, 'startupProbe' | 'livenessProbe' | 'readinessProbe'> => ({
  startupProbe: { httpGet: { path: '/livez', port }, periodSeconds: 2, failureThreshold: 60, timeoutSeconds: 3 },
  livenessProbe: { httpGet: { path: '/livez', port }, periodSeconds: 10, failureThreshold: 6, timeoutSeconds: 5 },
  readinessProbe: { httpGet: { path: '/readyz', port }, periodSeconds: 2, failureThreshold: 2, timeoutSeconds: 3 },
});

/** What is secret is not among it: `secretFiles`. */
export const environmentOf = (variables: readonly Variable[]): types.input.core.v1.EnvVar[] =>
  variables.flatMap(({ name, value }) => (typeof value === 'string' ? [{ name, value }] : []));

/**
 * A file for each variable that is secret, of its name. A container's environment is shown to whoever may look at the pod's processes,
 * as long as it runs; a file is read once. They come from the cluster's Secrets, or from `elsewhere`.
 */
export const secretFiles = (variables: readonly Variable[], elsewhere?: types.input.core.v1.Volume) => ({
  volume: elsewhere ?? {
    name: 'variables',
    projected: {
      // For the image's user, by the pod's fsGroup.
      defaultMode: 0o440,
      sources: variables.flatMap(({ name, value }) =>
        typeof value === 'string' ? [] : [{ secret: { name: value.secret, items: [{ key: value.key, path: name }] } }],
      ),
    },
  },
  mount: { name: 'variables', mountPath: mounts.variables, readOnly: true },
});

/** A place to write to that ends with the pod, and is bounded. */
export const scratch = (name: string, mountPath: string, sizeLimit = '256Mi') => ({
  volume: { name, emptyDir: { sizeLimit } },
  mount: { name, mountPath },
});
