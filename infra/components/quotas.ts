import * as k8s from '@pulumi/kubernetes';
import * as pulumi from '@pulumi/pulumi';
import type { Scope } from '../plan/names.ts';
import type { Quota, QuotaPlan } from '../plan/quota.ts';

export interface QuotasArgs {
  scope: Scope;
  quota: QuotaPlan;
}

/** Classes of the cluster's own programs, before which other pods give way. */
const above = ['system-cluster-critical', 'system-node-critical'];

/** How much a tenant takes of nodes that it shares, and that none of its pods drives out others': all have the priority 0. */
export class Quotas extends pulumi.ComponentResource {
  constructor(name: string, { scope, quota }: QuotasArgs, opts?: pulumi.ComponentResourceOptions) {
    super('parley:kubernetes:Quotas', name, {}, opts);
    this.#quota(scope, scope.namespace, quota.tenant);
    this.#quota(scope, scope.roomsNamespace, quota.rooms);
    if (quota.phone) this.#quota(scope, scope.phoneNamespace, quota.phone);
    this.registerOutputs({});
  }

  #quota({ labels }: Scope, namespace: string, { cpuMilli, memoryMib, pods }: Quota): void {
    const metadata = (name: string) => ({ name, namespace, labels: { ...labels } });
    new k8s.core.v1.ResourceQuota(
      `${namespace}-quota`,
      {
        metadata: metadata('tenant'),
        spec: {
          hard: { 'requests.cpu': `${cpuMilli}m`, 'requests.memory': `${memoryMib}Mi`, pods: String(pods) },
        },
      },
      { parent: this },
    );
    new k8s.core.v1.ResourceQuota(
      `${namespace}-priority`,
      {
        metadata: metadata('no-priority'),
        spec: {
          hard: { pods: '0' },
          scopeSelector: { matchExpressions: [{ scopeName: 'PriorityClass', operator: 'In', values: above }] },
        },
      },
      { parent: this },
    );
  }
}
