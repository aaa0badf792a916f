import * as pulumi from '@pulumi/pulumi';
import { namespacesOf, type TenantPlan } from '../../plan/tenant-plan.ts';
import { type Cluster, clusterBy } from '../../rollout/kubectl.ts';
import { longestRolloutMs } from '../../rollout/longest.ts';
import { watchRollout } from '../../rollout/watch.ts';
import type { KubernetesTenant } from './tenant.ts';

/**
 * Makes a tenant, says meanwhile what is waited for, and is done when its new pods serve: the provider is content with a status that is a moment
 * old. @returns outputs of the stack
 */
export async function attended(plan: TenantPlan, make: () => KubernetesTenant): Promise<Record<string, unknown>> {
  const cluster = clusterBy(['--context', plan.tenant.kubernetes.context ?? ''], namespacesOf(plan));
  const answers = await refuseWithoutOperators(plan, cluster);
  if (pulumi.runtime.isDryRun() || !answers) {
    const { keys } = make();
    return { keys };
  }
  const watch = watchRollout({
    cluster,
    tell: (sentence) => void pulumi.log.warn(sentence),
    longestMs: longestRolloutMs(plan),
  });
  const { deployments, keys } = make();
  const served = pulumi.all(deployments.map(({ id }) => id)).apply(async (ids) => {
    await watch.served().catch((error: Error) => {
      throw new pulumi.RunError(error.message);
    });
    return ids;
  });
  /** Whose new pods serve. */
  return { serving: served, keys };
}

/** What has to be in the cluster before a tenant, by the definition that it comes with. */
const operatorsOf = ({ tenant, database }: TenantPlan): Record<string, string> => ({
  ...(tenant.autoscaling === 'keda' && { 'scaledobjects.keda.sh': 'KEDA (parley:autoscaling)' }),
  ...(database.kind === 'cloudnativepg' && {
    'clusters.postgresql.cnpg.io': 'CloudNativePG (parley:database.kind)',
  }),
  ...(tenant.monitoring.prometheusOperator && {
    'podmonitors.monitoring.coreos.com': 'the Prometheus operator (parley:monitoring.prometheusOperator)',
  }),
});

/** @returns whether the cluster could be asked at all: kubectl may not be there */
async function refuseWithoutOperators(plan: TenantPlan, cluster: Cluster): Promise<boolean> {
  const operators = operatorsOf(plan);
  const missing = await cluster.missing(Object.keys(operators)).catch(async (error: Error) => {
    const [line] = error.message.split('\n');
    await pulumi.log.warn(`Nobody says what this up waits for: the cluster could not be asked by kubectl (${line}).`);
    return undefined;
  });
  if (missing === undefined) return false;
  if (missing.length === 0) return true;
  const names = missing.map((name) => operators[name]).join(', ');
  throw new pulumi.RunError(
    `The cluster lacks ${names}. Install it first, or change the setting. Nothing was changed.`,
  );
}
