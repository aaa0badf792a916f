import * as k8s from '@pulumi/kubernetes';
import type * as pulumi from '@pulumi/pulumi';
import type { Scope } from '../plan/names.ts';
import type { Resources } from '../plan/resources.ts';
import type { Variable } from '../plan/variables.ts';
import {
  containerSecurity,
  environmentOf,
  podSecurity,
  probesAt,
  quietPod,
  resourcesOf,
  scratch,
  spread,
} from './pod.ts';

type Inputs = k8s.types.input.core.v1.PodSpec;

export interface ServiceDeploymentArgs {
  scope: Scope;
  image: string;
  /** Folder in services/, and the name of everything about it. */
  service: 'api' | 'worker' | 'agent';
  replicas: number;
  resources: Resources;
  graceSeconds: number;
  preStopSeconds: number;
  internalPort: number;
  publicPort?: number;
  variables: readonly Variable[];
  /** Changes when a secret does, so that pods read it again. */
  secretsVersion: pulumi.Input<string>;
  volumes?: readonly k8s.types.input.core.v1.Volume[];
  mounts?: readonly k8s.types.input.core.v1.VolumeMount[];
  nodes?: Readonly<Record<string, string>>;
  serviceAccountName?: pulumi.Input<string>;
}

export const labelsOf = (scope: Scope, name: string): Record<string, string> => ({
  ...scope.labels,
  'app.kubernetes.io/name': name,
});

/**
 * What pods are found by. Exactly these, whatever labels a later release adds: a selector cannot be changed, so another one makes another
 * StatefulSet or Deployment, and takes the old one away.
 */
export const selectorOf = ({ labels }: Scope, name: string): Record<string, string> => ({
  'app.kubernetes.io/name': name,
  'app.kubernetes.io/part-of': labels['app.kubernetes.io/part-of'] ?? '',
  'parley.dev/tenant': labels['parley.dev/tenant'] ?? '',
});

/** A Deployment of one of our services: the same image, another command. Old pods go when new ones are ready. */
export function serviceDeployment(
  args: ServiceDeploymentArgs,
  opts: pulumi.CustomResourceOptions,
): k8s.apps.v1.Deployment {
  const { scope, service, replicas, graceSeconds } = args;
  const labels = labelsOf(scope, service);
  return new k8s.apps.v1.Deployment(
    `${scope.prefix}-${service}`,
    {
      metadata: { name: service, namespace: scope.namespace, labels },
      spec: {
        replicas,
        selector: { matchLabels: selectorOf(scope, service) },
        minReadySeconds: 3,
        revisionHistoryLimit: 3,
        strategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 0, maxSurge: '25%' } },
        template: {
          metadata: { labels, annotations: { 'parley.dev/secrets': args.secretsVersion } },
          spec: { ...podOf(args), terminationGracePeriodSeconds: graceSeconds },
        },
      },
    },
    { ...opts, customTimeouts: { create: '30m', update: '60m' } },
  );
}

function podOf(args: ServiceDeploymentArgs): Inputs {
  const tmp = scratch('tmp', '/tmp');
  const { image, service, internalPort, publicPort } = args;
  return {
    ...quietPod(args.scope),
    ...(args.serviceAccountName === undefined ? {} : { serviceAccountName: args.serviceAccountName }),
    securityContext: podSecurity(),
    topologySpreadConstraints: spread(selectorOf(args.scope, args.service)),
    ...(Object.keys(args.nodes ?? {}).length === 0 ? {} : { nodeSelector: { ...args.nodes } }),
    volumes: [tmp.volume, ...(args.volumes ?? [])],
    containers: [
      {
        name: service,
        image,
        command: ['node', `services/${service}/main.ts`],
        env: environmentOf(args.variables),
        ports: [
          { name: 'internal', containerPort: internalPort },
          ...(publicPort === undefined ? [] : [{ name: 'public', containerPort: publicPort }]),
        ],
        securityContext: containerSecurity,
        resources: resourcesOf(args.resources),
        ...probesAt(internalPort),
        ...(args.preStopSeconds > 0 ? { lifecycle: { preStop: { sleep: { seconds: args.preStopSeconds } } } } : {}),
        volumeMounts: [tmp.mount, ...(args.mounts ?? [])],
      },
    ],
  };
}
