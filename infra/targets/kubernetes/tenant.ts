import * as pulumi from '@pulumi/pulumi';
import { loginOf } from '../../../services/settings/database-login.ts';
import type { DatabaseUrls } from '../../components/database-urls.ts';
import { KeptSecrets, keptFrom, type StackKeys } from '../../components/kept-secrets.ts';
import { Monitoring } from '../../components/monitoring.ts';
import { Namespaces } from '../../components/namespaces.ts';
import { NetworkPolicies } from '../../components/network-policies.ts';
import { PullSecret, registryOf } from '../../components/pull-secret.ts';
import { Quotas } from '../../components/quotas.ts';
import { admissionsOf } from '../../components/room-admission.ts';
import { Secrets } from '../../components/secrets.ts';
import { Workloads } from '../../components/workloads.ts';
import type { Folders } from '../../folders.ts';
import { signedPaths } from '../../plan/services.ts';
import type { TenantPlan } from '../../plan/tenant-plan.ts';
import { Cache } from './cache.ts';
import { CloudNativePg } from './cloud-native-pg.ts';
import { TenantIngress } from './ingress.ts';
import { Postgres } from './postgres.ts';
import { TenantCluster } from './tenant-cluster.ts';

export interface KubernetesTenantArgs {
  plan: TenantPlan;
  folders: Pick<Folders, 'agents' | 'policies'>;
}

/** A tenant on the cluster that the kubeconfig names, with everything it needs inside of that cluster. */
export class KubernetesTenant extends pulumi.ComponentResource {
  /** What runs, to be waited for. */
  readonly deployments: readonly pulumi.CustomResource[];
  readonly keys: StackKeys;

  constructor(name: string, { plan, folders }: KubernetesTenantArgs, opts?: pulumi.ComponentResourceOptions) {
    super('parley:index:KubernetesTenant', name, {}, opts);
    const { scope, tenant, rooms } = plan;
    const { provider } = new TenantCluster(
      name,
      { slug: tenant.slug, context: tenant.kubernetes.context ?? '' },
      { parent: this },
    );
    const child = { parent: this, provider };
    const kept = new KeptSecrets(`${name}-secrets`, keptFrom(plan), { parent: this });
    const namespaces = new Namespaces(
      name,
      { scope, erasable: plan.erasable, hasPhone: plan.phone !== undefined },
      child,
    );
    const admission = admissionsOf(name, plan, child);
    const registry = new PullSecret(`${name}-registry`, registryOf(plan), { ...child, dependsOn: [namespaces] });
    const inNamespaces = { ...child, dependsOn: [namespaces, registry] };
    const policies = new NetworkPolicies(
      name,
      { scope, traffic: plan.traffic, operated: plan.database.kind === 'cloudnativepg' },
      inNamespaces,
    );
    const quotas = new Quotas(name, { scope, quota: plan.quota }, inNamespaces);
    const { urls: database, server } = databaseOf(name, plan, kept, inNamespaces);
    const cache = cacheOf(name, plan, kept, inNamespaces);
    const cacheUrl = cache?.url;
    const secrets = new Secrets(
      name,
      {
        scope,
        variables: plan.variables,
        values: {
          database: { url: database.url },
          'database-admin': {
            url: database.adminUrl,
            ...(kept.formerAdminPasswords && { former: kept.formerAdminPasswords }),
          },
          'room-keys': kept.toldRoomKeys,
          'master-keys': { keys: kept.masterKeys },
          'people-keys': { keys: kept.peopleKeys },
          ...(cacheUrl === undefined ? {} : { cache: { url: cacheUrl } }),
          ...(Object.keys(tenant.secrets).length === 0 ? {} : { own: pulumi.secret(tenant.secrets) }),
        },
      },
      inNamespaces,
    );
    const workloads = new Workloads(
      name,
      {
        plan,
        folders,
        secretsVersions: secrets.versions,
        rooms: { used: kept.roomKey, known: kept.roomKeys, cacheUrl },
        files: database.certificate === undefined ? {} : { certificate: database.certificate },
      },
      {
        ...child,
        dependsOn: [
          namespaces,
          registry,
          ...admission,
          policies,
          quotas,
          secrets,
          ...server,
          ...(cache ? [cache] : []),
        ],
      },
    );
    this.deployments = workloads.deployments;
    this.keys = kept.all;
    new TenantIngress(
      name,
      {
        ...{ scope, domain: tenant.domain, settings: tenant.kubernetes },
        ...{ rooms: rooms.ports, signedPaths: signedPaths(tenant) },
      },
      inNamespaces,
    );
    new Monitoring(
      `${name}-monitoring`,
      { scope, slug: tenant.slug, monitoring: tenant.monitoring, hasPhone: plan.phone !== undefined },
      inNamespaces,
    );
    this.registerOutputs({});
  }
}

interface DatabaseHere {
  urls: DatabaseUrls;
  /** What has to be there before anybody asks it; nothing of ours where it is somebody else's. */
  server: pulumi.Resource[];
}

function databaseOf(
  name: string,
  plan: TenantPlan,
  kept: KeptSecrets,
  opts: pulumi.ComponentResourceOptions,
): DatabaseHere {
  const { database, images, kubernetes } = plan.tenant;
  if (plan.database.kind === 'existing')
    return {
      urls: { url: pulumi.secret(database.url ?? ''), adminUrl: pulumi.secret(database.adminUrl ?? '') },
      server: [],
    };
  const args = {
    ...{ scope: plan.scope, erasable: plan.erasable, storageClass: kubernetes.storageClass },
    ...{ adminPassword: kept.databaseAdminPassword, password: kept.databasePassword },
    login: loginOf({ role: 'parley', generation: plan.tenant.rotation.databasePassword }),
  };
  const server =
    plan.database.kind === 'cloudnativepg'
      ? new CloudNativePg(
          `${name}-database`,
          { ...args, database: plan.database, settings: database, image: images.database },
          opts,
        )
      : new Postgres(`${name}-database`, { ...args, plan: plan.database, image: images.database ?? '' }, opts);
  return { urls: server.urls, server: [server] };
}

/** Whoever has not been replaced yet comes in by the one of before. */
const passwordsOf = ({ cachePassword, formerCachePassword }: KeptSecrets) => ({
  password: cachePassword,
  formerPassword: formerCachePassword,
});

function cacheOf(name: string, plan: TenantPlan, kept: KeptSecrets, opts: pulumi.ComponentResourceOptions) {
  if (!plan.cache) return undefined;
  return new Cache(
    `${name}-cache`,
    { ...plan.cache, scope: plan.scope, image: plan.tenant.images.cache ?? '', ...passwordsOf(kept) },
    opts,
  );
}
