import * as k8s from '@pulumi/kubernetes';
import * as pulumi from '@pulumi/pulumi';
import type { TenantPlan } from '../plan.ts';
import { Cache } from './cache.ts';
import { CloudNativePg } from './cloud-native-pg.ts';
import type { DatabaseUrls } from './database-urls.ts';
import { TenantIngress } from './ingress.ts';
import { KeptSecrets } from './kept-secrets.ts';
import { Monitoring } from './monitoring.ts';
import { Namespaces } from './namespaces.ts';
import { NetworkPolicies } from './network-policies.ts';
import { Postgres } from './postgres.ts';
import { RoomAdmission } from './room-admission.ts';
import { Secrets } from './secrets.ts';
import { type Folders, Workloads } from './workloads.ts';

export interface KubernetesTenantArgs {
  plan: TenantPlan;
  folders: Pick<Folders, 'agents' | 'policies'>;
}

/** A tenant on the cluster that the kubeconfig names, with everything it needs inside of that cluster. */
export class KubernetesTenant extends pulumi.ComponentResource {
  constructor(name: string, { plan, folders }: KubernetesTenantArgs, opts?: pulumi.ComponentResourceOptions) {
    super('parley:index:KubernetesTenant', name, {}, opts);
    const { context } = plan.tenant.kubernetes;
    const provider = new k8s.Provider(
      name,
      // A Secret that changes stays the same object, so that nobody looks for it in vain meanwhile.
      { enableSecretMutable: true, ...(context === undefined ? {} : { context }) },
      { parent: this },
    );
    const child = { parent: this, provider };
    const kept = new KeptSecrets(`${name}-secrets`, { parent: this });
    const namespaces = new Namespaces(name, { plan }, child);
    const admission = new RoomAdmission(`${name}-admission`, { plan }, child);
    const inNamespaces = { ...child, dependsOn: [namespaces] };
    const policies = new NetworkPolicies(name, { plan }, inNamespaces);
    const database = databaseOf(name, plan, kept, inNamespaces);
    const cacheUrl = cacheOf(name, plan, kept, inNamespaces);
    const secrets = new Secrets(
      name,
      {
        plan,
        values: {
          database: { url: database.url },
          'database-admin': { url: database.adminUrl },
          'room-keys': { key: kept.roomKey, secret: kept.roomSecret },
          'master-keys': { keys: kept.masterKeys },
          ...(cacheUrl === undefined ? {} : { cache: { url: cacheUrl } }),
          ...(Object.keys(plan.tenant.secrets).length === 0 ? {} : { own: pulumi.secret(plan.tenant.secrets) }),
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
    new TenantIngress(name, { plan }, inNamespaces);
    new Monitoring(`${name}-monitoring`, { plan }, inNamespaces);
    this.registerOutputs({});
  }
}

function databaseOf(
  name: string,
  plan: TenantPlan,
  kept: KeptSecrets,
  opts: pulumi.ComponentResourceOptions,
): DatabaseUrls {
  const { database, images } = plan.tenant;
  if (plan.database.kind === 'existing')
    return { url: pulumi.secret(database.url ?? ''), adminUrl: pulumi.secret(database.adminUrl ?? '') };
  const args = { plan, adminPassword: kept.databaseAdminPassword, password: kept.databasePassword };
  if (plan.database.kind === 'cloudnativepg')
    return new CloudNativePg(`${name}-database`, { ...args, image: images.database }, opts).urls;
  return new Postgres(`${name}-database`, { ...args, image: images.database ?? '' }, opts).urls;
}

function cacheOf(name: string, plan: TenantPlan, kept: KeptSecrets, opts: pulumi.ComponentResourceOptions) {
  if (!plan.cache) return undefined;
  return new Cache(`${name}-cache`, { plan, image: plan.tenant.images.cache ?? '', password: kept.cachePassword }, opts)
    .url;
}
