import * as k8s from '@pulumi/kubernetes';
import * as pulumi from '@pulumi/pulumi';
import type { DatabaseUrls } from '../../components/database-urls.ts';
import { resourcesOf } from '../../components/pod.ts';
import { databaseCertificateFile } from '../../components/process-files.ts';
import { ports } from '../../plan/addresses.ts';
import type { DatabasePlan } from '../../plan/database.ts';
import type { Tenant } from '../../tenant.ts';
import { admin, type OwnDatabaseArgs } from './own-database.ts';

export interface CloudNativePgArgs extends OwnDatabaseArgs {
  database: DatabasePlan;
  /** Where backups go, and with what. */
  settings: Pick<Tenant['database'], 'backupStore' | 'backupCredentials'>;
  /** An image of the operator's own kind; undefined: its default. */
  image: string | undefined;
}

const apiVersion = 'postgresql.cnpg.io/v1';

/** PostgreSQL by CloudNativePG, whose operator is in the cluster already: a primary, its replica, TLS, archived backups. */
export class CloudNativePg extends pulumi.ComponentResource {
  readonly urls: DatabaseUrls;

  constructor(name: string, args: CloudNativePgArgs, opts?: pulumi.ComponentResourceOptions) {
    super('parley:kubernetes:CloudNativePg', name, {}, opts);
    const { scope, settings, adminPassword } = args;
    const { namespace } = scope;
    const labels = { ...scope.labels };
    const owner = new k8s.core.v1.Secret(
      `${name}-owner`,
      {
        // The operator sets another password in the database when it is told to look at this one.
        metadata: { name: 'database-owner', namespace, labels: { ...labels, 'cnpg.io/reload': 'true' } },
        type: 'kubernetes.io/basic-auth',
        stringData: { username: admin, password: adminPassword },
      },
      { parent: this },
    );
    const cluster = new k8s.apiextensions.CustomResource(
      name,
      {
        apiVersion,
        kind: 'Cluster',
        metadata: { name: 'database', namespace, labels, annotations: { 'pulumi.com/waitFor': 'condition=Ready' } },
        spec: clusterSpec(args, owner.metadata.name),
      },
      { parent: this, protect: !args.erasable, customTimeouts: { create: '20m' } },
    );
    new k8s.apiextensions.CustomResource(
      `${name}-backups`,
      {
        apiVersion,
        kind: 'ScheduledBackup',
        metadata: { name: 'database', namespace, labels },
        spec: {
          // Seconds first.
          schedule: '0 17 3 * * *',
          cluster: { name: 'database' },
          method: settings.backupStore === undefined ? 'volumeSnapshot' : 'barmanObjectStore',
          backupOwnerReference: 'self',
        },
      },
      { parent: this, dependsOn: cluster },
    );
    const address = `database-rw.${namespace}.svc:${ports.database}/parley?sslmode=verify-full&sslrootcert=${databaseCertificateFile}`;
    this.urls = {
      url: pulumi.interpolate`postgres://${args.login}:${args.password}@${address}`,
      adminUrl: pulumi.interpolate`postgres://${admin}:${adminPassword}@${address}`,
      certificate: { secretName: 'database-ca', key: 'ca.crt' },
    };
    this.registerOutputs({});
  }
}

function clusterSpec(args: CloudNativePgArgs, owner: pulumi.Input<string>) {
  const { scope, database, image, storageClass } = args;
  return {
    instances: database.instances,
    ...(image === undefined ? {} : { imageName: image }),
    ...(scope.pullSecret !== undefined && { imagePullSecrets: [{ name: scope.pullSecret }] }),
    // Its pods are found by the name that network policies use.
    inheritedMetadata: { labels: { ...scope.labels, 'app.kubernetes.io/name': 'database' } },
    storage: { size: `${database.storageGib}Gi`, ...(storageClass === undefined ? {} : { storageClass }) },
    resources: resourcesOf(database.resources),
    postgresql: { parameters: { max_connections: String(database.maxConnections) } },
    // A node that is drained gives its primary away first.
    enablePDB: true,
    affinity: { enablePodAntiAffinity: true, topologyKey: 'topology.kubernetes.io/zone' },
    bootstrap: {
      initdb: {
        database: 'parley',
        owner: admin,
        secret: { name: owner },
        // It makes the services' role.
        postInitSQL: [`alter role ${admin} createrole`],
      },
    },
    backup: backupOf(args),
  };
}

function backupOf({ settings, database }: CloudNativePgArgs) {
  // Named although it is the default: the provider writes an empty map as null once it changes, which the API server refuses.
  if (settings.backupStore === undefined) return { volumeSnapshot: { snapshotOwnerReference: 'none' } };
  const key = (name: string) => ({ name: settings.backupCredentials ?? 'database-backups', key: name });
  return {
    retentionPolicy: `${database.keepBackupsDays}d`,
    barmanObjectStore: {
      destinationPath: settings.backupStore,
      s3Credentials: { accessKeyId: key('ACCESS_KEY_ID'), secretAccessKey: key('ACCESS_SECRET_KEY') },
      wal: { compression: 'gzip' },
    },
  };
}
