import * as k8s from '@pulumi/kubernetes';
import * as pulumi from '@pulumi/pulumi';
import type { DatabaseUrls } from '../../components/database-urls.ts';
import { containerSecurity, podSecurity, postgresUser, quietPod, resourcesOf, scratch } from '../../components/pod.ts';
import { labelsOf, selectorOf } from '../../components/service-deployment.ts';
import { ports } from '../../plan/addresses.ts';
import type { DatabasePlan } from '../../plan/database.ts';
import { admin, type OwnDatabaseArgs } from './own-database.ts';
import { PostgresBackups } from './postgres-backups.ts';
import { claimOf } from './volume-claim.ts';

export interface PostgresArgs extends OwnDatabaseArgs {
  plan: DatabasePlan;
  image: string;
}

const database = 'parley';

/** One PostgreSQL server in the cluster with daily dumps beside it: for a laptop or a small installation. */
export class Postgres extends pulumi.ComponentResource {
  readonly urls: DatabaseUrls;

  constructor(name: string, args: PostgresArgs, opts?: pulumi.ComponentResourceOptions) {
    super('parley:kubernetes:Postgres', name, {}, opts);
    const { namespace } = args.scope;
    const labels = labelsOf(args.scope, 'database');
    const metadata = { namespace, labels };
    const password = new k8s.core.v1.Secret(
      `${name}-password`,
      { metadata: { ...metadata, name: 'database-server' }, stringData: { password: args.adminPassword } },
      { parent: this },
    );
    const service = new k8s.core.v1.Service(
      name,
      {
        metadata: { ...metadata, name: 'database' },
        spec: {
          clusterIP: 'None',
          selector: selectorOf(args.scope, 'database'),
          ports: [{ name: 'postgres', port: ports.database }],
        },
      },
      { parent: this },
    );
    const server = new k8s.apps.v1.StatefulSet(
      name,
      {
        metadata: { ...metadata, name: 'database' },
        spec: {
          replicas: 1,
          serviceName: 'database',
          selector: { matchLabels: selectorOf(args.scope, 'database') },
          template: { metadata: { labels }, spec: this.#pod(args, password.metadata.name) },
          volumeClaimTemplates: [{ metadata: { name: 'data', labels }, spec: claimOf(args.plan, args.storageClass) }],
          persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Retain', whenScaled: 'Retain' },
        },
      },
      {
        parent: this,
        dependsOn: service,
        protect: !args.erasable,
        // Another size would make another server, with the volume of the old one: docs/operate/backups.md says how it grows.
        ignoreChanges: ['spec.volumeClaimTemplates'],
      },
    );
    new PostgresBackups(
      `${name}-backups`,
      { ...args, admin, database, passwordSecret: password.metadata.name },
      { parent: this, dependsOn: server },
    );
    const address = `database.${namespace}.svc.cluster.local:${ports.database}/${database}`;
    this.urls = {
      url: pulumi.interpolate`postgres://${args.login}:${args.password}@${address}`,
      adminUrl: pulumi.interpolate`postgres://${admin}:${args.adminPassword}@${address}`,
    };
    this.registerOutputs({});
  }

  #pod({ scope, plan, image }: PostgresArgs, passwordSecret: pulumi.Input<string>): k8s.types.input.core.v1.PodSpec {
    const run = scratch('run', '/var/run/postgresql', '16Mi');
    const tmp = scratch('tmp', '/tmp');
    const isReady = { exec: { command: ['pg_isready', '-U', admin, '-d', database] }, timeoutSeconds: 5 };
    return {
      ...quietPod(scope),
      securityContext: podSecurity(postgresUser),
      // A fast shutdown writes a checkpoint first.
      terminationGracePeriodSeconds: 120,
      volumes: [run.volume, tmp.volume],
      containers: [
        {
          name: 'postgres',
          image,
          args: ['-c', `max_connections=${plan.maxConnections}`, '-c', 'password_encryption=scram-sha-256'],
          env: [
            { name: 'POSTGRES_USER', value: admin },
            { name: 'POSTGRES_DB', value: database },
            { name: 'POSTGRES_PASSWORD', valueFrom: { secretKeyRef: { name: passwordSecret, key: 'password' } } },
            // A folder of its own below the volume, whatever the image's version takes as default.
            { name: 'PGDATA', value: '/data/postgres' },
          ],
          ports: [{ name: 'postgres', containerPort: ports.database }],
          securityContext: containerSecurity,
          resources: resourcesOf(plan.resources),
          // Recovery after a crash may take minutes.
          startupProbe: { ...isReady, periodSeconds: 2, failureThreshold: 450 },
          livenessProbe: { ...isReady, periodSeconds: 10, failureThreshold: 6 },
          readinessProbe: { ...isReady, periodSeconds: 5, failureThreshold: 2 },
          volumeMounts: [{ name: 'data', mountPath: '/data' }, run.mount, tmp.mount],
        },
      ],
    };
  }
}
