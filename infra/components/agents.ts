import * as k8s from '@pulumi/kubernetes';
import * as pulumi from '@pulumi/pulumi';
import { ports } from '../plan/addresses.ts';
import type { AgentFleetPlan } from '../plan/agents.ts';
import type { Scope } from '../plan/names.ts';
import { mounts, type Variable } from '../plan/variables.ts';
import { scratch } from './pod.ts';
import { type ProcessFiles, withFiles } from './process-files.ts';
import { labelsOf, selectorOf, serviceDeployment } from './service-deployment.ts';

export interface AgentsArgs {
  scope: Scope;
  image: string;
  fleet: AgentFleetPlan;
  /** Where KEDA asks how many conversations there are; undefined: always the planned number of hosts. */
  scalingUrl: string | undefined;
  variables: readonly Variable[];
  secretsVersion: pulumi.Input<string>;
  files: ProcessFiles;
}

/** Agent hosts. They scale on conversations, never on CPU, and give theirs away before they stop. */
export class Agents extends pulumi.ComponentResource {
  readonly deployment: k8s.apps.v1.Deployment;

  constructor(name: string, args: AgentsArgs, opts?: pulumi.ComponentResourceOptions) {
    super('parley:kubernetes:Agents', name, {}, opts);
    const { scope, fleet, scalingUrl, files } = args;
    const labels = labelsOf(scope, 'agent');
    const metadata = { name: 'agent', namespace: scope.namespace, labels };
    this.deployment = serviceDeployment(
      {
        ...args,
        service: 'agent',
        // Where KEDA scales, it is what they begin with: left out, a change to KEDA would be one of all but one host.
        replicas: fleet.fixedReplicas,
        resources: fleet.resources,
        graceSeconds: fleet.graceSeconds,
        preStopSeconds: 0,
        internalPort: ports.agentInternal,
        nodes: fleet.nodes,
        ...withScratch(withFiles(files, 'agent', args.variables)),
      },
      { parent: this, ...(scalingUrl === undefined ? {} : { ignoreChanges: ['spec.replicas'] }) },
    );
    if (scalingUrl !== undefined) {
      new k8s.apiextensions.CustomResource(
        `${name}-scaling`,
        { apiVersion: 'keda.sh/v1alpha1', kind: 'ScaledObject', metadata, spec: scaling(fleet, scalingUrl) },
        { parent: this, dependsOn: this.deployment },
      );
    }
    if (fleet.fixedReplicas > 1) {
      new k8s.policy.v1.PodDisruptionBudget(
        name,
        { metadata, spec: { maxUnavailable: 1, selector: { matchLabels: selectorOf(scope, 'agent') } } },
        { parent: this },
      );
    }
    this.registerOutputs({});
  }
}

/** It survives the container, not the pod. Four files of the largest size: each has 64 MiB (services/agent/owed). */
const owed = scratch('owed', mounts.owed);

const withScratch = (files: ReturnType<typeof withFiles>) => ({
  ...files,
  volumes: [...files.volumes, owed.volume],
  mounts: [...files.mounts, owed.mount],
});

/** Pods for what is live, waiting and was refused in the last minute; the planned number while nobody can tell. */
const scaling = (agents: AgentFleetPlan, url: string) => ({
  scaleTargetRef: { name: 'agent' },
  minReplicaCount: agents.minReplicas,
  maxReplicaCount: agents.maxReplicas,
  pollingInterval: 5,
  cooldownPeriod: 300,
  fallback: { failureThreshold: 3, replicas: agents.fixedReplicas },
  advanced: {
    horizontalPodAutoscalerConfig: {
      behavior: {
        scaleUp: { stabilizationWindowSeconds: 0, policies: [{ type: 'Percent', value: 100, periodSeconds: 15 }] },
        // Every pod that goes hands its conversations over: one a minute, and not on a dip.
        scaleDown: { stabilizationWindowSeconds: 300, policies: [{ type: 'Pods', value: 1, periodSeconds: 60 }] },
      },
    },
  },
  // As many as the greater of the two asks for.
  triggers: [
    triggerOn('wanted', agents.targetSessionsPerPod, url),
    ...(agents.targetVoicePerPod === 0 ? [] : [triggerOn('wantedVoice', agents.targetVoicePerPod, url)]),
  ],
});

const triggerOn = (valueLocation: string, perPod: number, url: string) => ({
  type: 'metrics-api',
  metricType: 'AverageValue',
  metadata: { url, valueLocation, targetValue: String(perPod) },
});
