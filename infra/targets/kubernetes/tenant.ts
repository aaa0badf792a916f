import * as k8s from '@pulumi/kubernetes';
import * as pulumi from '@pulumi/pulumi';
import type { DatabaseUrls } from '../../components/database-urls.ts';
import { KeptSecrets } from '../../components/kept-secrets.ts';
import { Monitoring } from '../../components/monitoring.ts';
import { Namespaces } from '../../components/namespaces.ts';
import { NetworkPolicies } from '../../components/network-policies.ts';
import { RoomAdmission } from '../../components/room-admission.ts';
import { Secrets } from '../../components/secrets.ts';
import { Workloads } from '../../components/workloads.ts';
import type { Folders } from '../../folders.ts';
import { signedPaths } from '../../plan/services.ts';
import type { TenantPlan } from '../../plan/tenant-plan.ts';
import { Cache } from './cache.ts';
import { CloudNativePg } from './cloud-native-pg.ts';
import { TenantIngress } from './ingress.ts';
import { Postgres } from './postgres.ts';

export interface KubernetesTenantArgs {
  plan: TenantPlan;
  folders: Pick<Folders, 'agents' | 'policies'>;
}

/** A tenant on the cluster that the kubeconfig names, with everything it needs inside of that cluster. */
export class KubernetesTenant extends pulumi.ComponentResource {
  constructor(name: string, { plan, folders }: KubernetesTenantArgs, opts?: pulumi.ComponentResourceOptions) {
    super('parley:index:KubernetesTenant', name, {}, opts);
    const { scope, tenant, rooms } = plan;
    const { context } = tenant.kubernetes;
    const provider = new k8s.Provider(
      name,
      // A Secret that changes stays the same object, so that nobody looks for it in vain meanwhile.
      { enableSecretMutable: true, ...(context === undefined ? {} : { context }) },
      { parent: this },
    );
    const child = { parent: this, provider };
    const kept = new KeptSecrets(`${name}-secrets`, { parent: this });
    const namespaces = new Namespaces(name, { scope }, child);
    const admission = new RoomAdmission(`${name}-admission`, { scope, image: tenant.images.roomServer, rooms }, child);
    const inNamespaces = { ...child, dependsOn: [namespaces] };
    const policies = new NetworkPolicies(
      name,
      { scope, traffic: plan.traffic, operated: plan.database.kind === 'cloudnativepg' },
      inNamespaces,
    );
    const database = databaseOf(name, plan, kept, inNamespaces);
    const cacheUrl = cacheOf(name, plan, kept, inNamespaces);
    const secrets = new Secrets(
      name,
      {
        scope,
        values: {
          database: { url: database.url },
          'database-admin': { url: database.adminUrl },
          'room-keys': { key: kept.roomKey, secret: kept.roomSecret },
          'master-keys': { keys: kept.masterKeys },
          'people-keys': { keys: kept.peopleKeys },
          ...(cacheUrl === undefined ? {} : { cache: { url: cacheUrl } }),
          ...(Object.keys(tenant.secrets).length === 0 ? {} : { own: pulumi.secret(tenant.secrets) }),
        },
      },
      inNamespaces,
    );
    new Workloads(
      name,
      {
        plan,
        folders,
        secretsVersion: secrets.version,
        rooms: { key: kept.roomKey, secret: kept.roomSecret, cacheUrl },
        files: database.certificate === undefined ? {} : { certificate: database.certificate },
      },
      { ...child, dependsOn: [namespaces, admission, policies, secrets] },
    );
    new TenantIngress(
      name,
      {
        ...{ scope, domain: tenant.domain, settings: tenant.kubernetes },
        ...{ rooms: rooms.ports, signedPaths: signedPaths(tenant) },
      },
      inNamespaces,
    );
    new Monitoring(`${name}-monitoring`, { scope, slug: tenant.slug, monitoring: tenant.monitoring }, inNamespaces);
    this.registerOutputs({});
  }
}

function databaseOf(
  name: string,
  plan: TenantPlan,
  kept: KeptSecrets,
  opts: pulumi.ComponentResourceOptions,
): DatabaseUrls {
  const { database, images, kubernetes } = plan.tenant;
  if (plan.database.kind === 'existing')
    return { url: pulumi.secret(database.url ?? ''), adminUrl: pulumi.secret(database.adminUrl ?? '') };
  const args = {
    ...{ scope: plan.scope, storageClass: kubernetes.storageClass },
    ...{ adminPassword: kept.databaseAdminPassword, password: kept.databasePassword },
  };
  if (plan.database.kind === 'cloudnativepg')
    return new CloudNativePg(
      `${name}-database`,
      { ...args, database: plan.database, settings: database, image: images.database },
      opts,
    ).urls;
  return new Postgres(`${name}-database`, { ...args, plan: plan.database, image: images.database ?? '' }, opts).urls;
}

function cacheOf(name: string, plan: TenantPlan, kept: KeptSecrets, opts: pulumi.ComponentResourceOptions) {
  if (!plan.cache) return undefined;
  return new Cache(
    `${name}-cache`,
    { ...plan.cache, scope: plan.scope, image: plan.tenant.images.cache ?? '', password: kept.cachePassword },
    opts,
  ).url;
}
