import { rmSync } from 'node:fs';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as aws from '@pulumi/aws';
import * as pulumi from '@pulumi/pulumi';
import { namespacesOf, type TenantPlan } from '../../plan/tenant-plan.ts';
import { type Cluster, clusterBy } from '../../rollout/kubectl.ts';
import type { Looking } from '../../rollout/lasting.ts';
import { longestRolloutMs } from '../../rollout/longest.ts';
import { type Watch, watchRollout } from '../../rollout/watch.ts';
import type { AwsPlan } from './plan.ts';
import type { AwsTenant } from './tenant.ts';
import { askBy } from './waits/ask.ts';
import { certificate } from './waits/certificate.ts';
import { ofFoundation, watchWaits } from './waits/watch.ts';

/**
 * Says what is waited for: of AWS from now on, and of pods from the moment on in which there is a cluster to ask. It is done when the new pods
 * serve. @returns names of what serves
 */
export function attended(
  plan: TenantPlan,
  own: AwsPlan,
  make: () => AwsTenant,
): { tenant: AwsTenant; serving: pulumi.Output<string[]> | undefined } {
  if (pulumi.runtime.isDryRun()) return { tenant: make(), serving: undefined };
  const waits = watchAws(plan, own);
  const tenant = make();
  return { tenant, serving: served(plan, tenant, waits) };
}

function watchAws({ tenant: { domain } }: TenantPlan, { foundation }: AwsPlan): Looking {
  const { region, profile } = aws.config;
  const where = [...(region ? ['--region', region] : []), ...(profile ? ['--profile', profile] : [])];
  return watchWaits({
    ask: askBy(where),
    waits: [certificate(domain), ...(foundation ? ofFoundation(foundation.names) : [])],
    tell: (sentence) => void pulumi.log.warn(sentence),
  });
}

function served(plan: TenantPlan, { kubeconfig, deployments }: AwsTenant, waits: Looking): pulumi.Output<string[]> {
  const watching = kubeconfig.apply((text) => watchBy(plan, text));
  return pulumi
    .all([watching, pulumi.all(deployments.map(({ id }) => id))])
    .apply(async ([{ watch, cluster }, ids]) => {
      // They need all that AWS makes.
      waits.stop();
      if (!(await answers(cluster))) {
        watch.stop();
        return ids;
      }
      await watch.served().catch((error: Error) => {
        throw new pulumi.RunError(error.message);
      });
      return ids;
    });
}

/** Looks on from now: a cluster that is new does not answer at once. */
async function watchBy(plan: TenantPlan, kubeconfig: string): Promise<{ watch: Watch; cluster: Cluster }> {
  const folder = await mkdtemp(join(tmpdir(), 'parley-kubeconfig-'));
  const file = join(folder, 'kubeconfig');
  // It names no secret, but a cluster is nobody else's business.
  await writeFile(file, kubeconfig, { mode: 0o600 });
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const cluster = clusterBy(['--kubeconfig', file], namespacesOf(plan));
  const tell = (sentence: string) => void pulumi.log.warn(sentence);
  return { cluster, watch: watchRollout({ cluster, tell, longestMs: longestRolloutMs(plan) }) };
}

/** Where it cannot be asked from here, the provider's own waiting has to do. */
async function answers(cluster: Cluster): Promise<boolean> {
  try {
    await cluster.look();
    return true;
  } catch (error) {
    const [line] = (error as Error).message.split('\n');
    await pulumi.log.warn(
      `Nobody says whether the new pods serve: the cluster could not be asked by kubectl (${line}).`,
    );
    return false;
  }
}
