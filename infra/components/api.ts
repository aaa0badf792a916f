import * as k8s from '@pulumi/kubernetes';
import * as pulumi from '@pulumi/pulumi';
import { ports } from '../plan/addresses.ts';
import type { Scope } from '../plan/names.ts';
import type { ServicePlan } from '../plan/services.ts';
import type { Variable } from '../plan/variables.ts';
import { type ProcessFiles, withFiles } from './process-files.ts';
import { labelsOf, selectorOf, serviceDeployment } from './service-deployment.ts';

export interface ApiArgs {
  scope: Scope;
  image: string;
  api: ServicePlan;
  variables: readonly Variable[];
  secretsVersion: pulumi.Input<string>;
  files: ProcessFiles;
  /** Port of every node, where the balancer reaches nodes and not pods. */
  nodePort?: number;
}

/** REST and everything that people load, on one port; probes, figures and room events on another that is never public. */
export class Api extends pulumi.ComponentResource {
  readonly deployment: k8s.apps.v1.Deployment;

  constructor(name: string, args: ApiArgs, opts?: pulumi.ComponentResourceOptions) {
    super('parley:kubernetes:Api', name, {}, opts);
    const { scope, api, nodePort } = args;
    const labels = labelsOf(scope, 'api');
    const metadata = { namespace: scope.namespace, labels };
    this.deployment = serviceDeployment(
      {
        ...api,
        ...args,
        service: 'api',
        internalPort: ports.apiInternal,
        publicPort: ports.api,
        ...withFiles(args.files, 'api', args.variables),
      },
      { parent: this },
    );
    new k8s.core.v1.Service(
      `${name}-public`,
      {
        metadata: { ...metadata, name: 'api' },
        spec: {
          ...(nodePort === undefined ? {} : { type: 'NodePort' }),
          selector: selectorOf(scope, 'api'),
          ports: [
            { name: 'http', port: ports.api, targetPort: 'public', ...(nodePort === undefined ? {} : { nodePort }) },
          ],
        },
      },
      { parent: this },
    );
    new k8s.core.v1.Service(
      `${name}-internal`,
      {
        metadata: { ...metadata, name: 'api-internal' },
        spec: {
          selector: selectorOf(scope, 'api'),
          ports: [{ name: 'internal', port: ports.apiInternal, targetPort: 'internal' }],
        },
      },
      { parent: this },
    );
    if (api.replicas > 1) {
      new k8s.policy.v1.PodDisruptionBudget(
        name,
        {
          metadata: { ...metadata, name: 'api' },
          spec: { maxUnavailable: 1, selector: { matchLabels: selectorOf(scope, 'api') } },
        },
        { parent: this },
      );
    }
    this.registerOutputs({});
  }
}
