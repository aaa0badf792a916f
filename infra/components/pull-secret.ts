import * as k8s from '@pulumi/kubernetes';
import * as pulumi from '@pulumi/pulumi';
import type { Scope } from '../plan/names.ts';
import { namespacesOf, type TenantPlan } from '../plan/tenant-plan.ts';

export interface PullSecretArgs {
  scope: Scope;
  namespaces: readonly string[];
  /** Text of a `.dockerconfigjson`; undefined: nodes pull as they may. */
  text: pulumi.Input<string> | undefined;
}

/** What opens the registry, in each namespace whose pods are pulled from it. */
export class PullSecret extends pulumi.ComponentResource {
  constructor(name: string, { scope, namespaces, text }: PullSecretArgs, opts?: pulumi.ComponentResourceOptions) {
    super('parley:kubernetes:PullSecret', name, {}, opts);
    const { pullSecret, labels } = scope;
    if (text !== undefined && pullSecret !== undefined)
      for (const namespace of namespaces)
        new k8s.core.v1.Secret(
          `${namespace}-registry`,
          {
            metadata: { name: pullSecret, namespace, labels: { ...labels } },
            type: 'kubernetes.io/dockerconfigjson',
            stringData: { '.dockerconfigjson': text },
          },
          { parent: this },
        );
    this.registerOutputs({});
  }
}

/** What the tenant's configuration has for it. */
export function registryOf(plan: Pick<TenantPlan, 'scope' | 'tenant' | 'names' | 'phone'>): PullSecretArgs {
  const { scope, tenant } = plan;
  const { pullSecret } = tenant.images;
  const text = pullSecret === undefined ? undefined : tenant.secrets[pullSecret];
  return { scope, namespaces: namespacesOf(plan), text: text === undefined ? undefined : pulumi.secret(text) };
}
