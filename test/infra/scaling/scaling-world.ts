import { join } from 'node:path';
import { readTenant } from '../../../infra/config.ts';
import type { TenantPlan } from '../../../infra/plan/tenant-plan.ts';
import { planTenant } from '../../../infra/plan.ts';
import { eventually } from '../../support/eventually.ts';
import type { RunningService } from '../../support/world/installation.ts';
import { startCluster } from '../support/cluster.ts';
import type { ControlPlane } from '../support/control-plane.ts';
import { type Keda, startKeda } from '../support/keda.ts';
import { type PodProcesses, runPods } from '../support/pods-as-processes.ts';
import { openProject, openPulumi, ShellStack, useExample } from '../support/pulumi.ts';
import { startServiceNetwork } from '../support/service-network.ts';
import { TenantProcesses } from '../support/tenant-processes.ts';
import { asConfig, smallFields } from '../support/tenants.ts';

/**
 * A tenant that may start cold, made by the engine in a real cluster with KEDA's own programs. Each pod of an agent that the
 * autoscaler asks for is a real agent host, so whoever talks changes the figure that is scaled on.
 */
export interface ScalingWorld extends AsyncDisposable {
  readonly cluster: ControlPlane;
  readonly tenant: TenantProcesses;
  readonly plan: TenantPlan;
  readonly keda: Keda;
  readonly pods: PodProcesses;
  api: RunningService;
}

const slug = 'dev';
const namespace = `parley-${slug}`;
/** Below 50, so that one API process is all there is; spoken ones decide the planned number of agents. */
const capacity = { voice: 30, text: 15, coldStart: 'allowed' };

export async function startScalingWorld(): Promise<ScalingWorld> {
  await using stack = new AsyncDisposableStack();
  const cluster = stack.use(await startCluster());
  const home = stack.use(await openPulumi({ KUBECONFIG: cluster.kubeconfigFile }));
  await makeStack(home);
  const tenant = stack.use(
    await TenantProcesses.open(cluster, {
      slug,
      domain: smallFields.domain,
      folder: join(home.folder, 'files'),
    }),
  );
  await tenant.prepare();
  const [api] = await Promise.all([tenant.start('api'), tenant.start('worker')]);
  const network = stack.use(
    await startServiceNetwork(cluster.api, { [`api-internal.${namespace}`]: tenant.apiInternalPort }),
  );
  const pods = stack.use(runPods(cluster, { tenant, namespace, name: 'agent' }));
  const keda = stack.use(await startKeda(cluster, network.proxyUrl));
  const plan = planTenant(readTenant(slug, asConfig({ ...smallFields, capacity })));
  const all = stack.move();
  return { cluster, tenant, plan, keda, pods, api, [Symbol.asyncDispose]: () => all.disposeAsync() };
}

async function makeStack(home: Awaited<ReturnType<typeof openPulumi>>): Promise<void> {
  const project = await openProject(home);
  await useExample(project, slug);
  const stack = new ShellStack(home, project, slug);
  await stack.init();
  for (const [name, value] of Object.entries(capacity)) await stack.set(`parley:capacity.${name}`, String(value));
  await stack.set('parley:autoscaling', 'keda');
  await stack.up();
}

/** What the API says to whoever scales; undefined while it does not answer. */
export async function figureOf({ tenant }: ScalingWorld): Promise<Record<string, number> | undefined> {
  const url = `http://127.0.0.1:${tenant.apiInternalPort}/scaling`;
  return fetch(url, { signal: AbortSignal.timeout(2_000) }).then(
    (answer) => answer.json() as Promise<Record<string, number>>,
    () => undefined,
  );
}

/** How many agents the Deployment is to have. */
export async function agentsOf({ cluster }: ScalingWorld): Promise<number> {
  const reference = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'agent', namespace };
  const deployment = await cluster.api.read(reference);
  if (!deployment) throw new Error('there is no Deployment of agents');
  return (deployment.spec as { replicas: number }).replicas;
}

/** Whether KEDA says so of our ScaledObject, by the type of the condition. */
export async function kedaSays({ cluster }: ScalingWorld, type: string): Promise<boolean> {
  const reference = { apiVersion: 'keda.sh/v1alpha1', kind: 'ScaledObject', name: 'agent', namespace };
  const { conditions = [] } = ((await cluster.api.read(reference))?.status ?? {}) as {
    conditions?: { type: string; status: string }[];
  };
  return conditions.some((one) => one.type === type && one.status === 'True');
}

/** Generous: a cluster waits five minutes before it takes the first agent away. */
const withinMs = 10 * 60_000;

/** Waits until the Deployment is to have so many agents; gives how many. */
export const agentsBecome = (world: ScalingWorld, what: string, is: (agents: number) => boolean): Promise<number> =>
  eventually(
    what,
    async () => {
      world.pods.check();
      const agents = await agentsOf(world);
      return is(agents) && { agents };
    },
    { withinMs, everyMs: 500 },
  ).then(({ agents }) => agents);
