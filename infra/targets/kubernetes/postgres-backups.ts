import { readFileSync } from 'node:fs';
import * as k8s from '@pulumi/kubernetes';
import * as pulumi from '@pulumi/pulumi';
import { containerSecurity, podSecurity, postgresUser, quietPod, resourcesOf, scratch } from '../../components/pod.ts';
import { labelsOf } from '../../components/service-deployment.ts';
import type { DatabasePlan } from '../../plan/database.ts';
import type { Scope } from '../../plan/names.ts';
import { claimOf } from './volume-claim.ts';

export interface PostgresBackupsArgs {
  scope: Scope;
  plan: DatabasePlan;
  erasable: boolean;
  storageClass: string | undefined;
  image: string;
  admin: string;
  database: string;
  passwordSecret: pulumi.Input<string>;
}

const resources = { cpuMilli: 100, cpuLimitMilli: 1_000, memoryMib: 128, memoryLimitMib: 512 };

/**
 * A dump is whole or not there: it gets its name when it is finished and its list of contents can be read. What was erased is listed beside the
 * dumps, for restore.sh.
 */
const script = (database: string, keepDays: number) => `set -eu
file=/backups/${database}-$(date -u +%Y%m%dT%H%M%SZ).dump
pg_dump --format=custom --no-password --file="$file.part" ${database}
pg_restore --list "$file.part" > /dev/null
mv "$file.part" "$file"
psql --dbname=${database} --quiet --set=ON_ERROR_STOP=1 --command="copy (select tenant_id, session_id, agent, erased_at, erased_by, erased_rows from erasures) to stdout" > /backups/erasures.now
touch /backups/erasures.tsv
sort -u /backups/erasures.tsv /backups/erasures.now > /backups/erasures.part
mv /backups/erasures.part /backups/erasures.tsv
rm /backups/erasures.now
find /backups -name '*.dump*' -mtime +${keepDays} -delete
ls -l /backups`;

const restoreScript = readFileSync(new URL('./restore.sh', import.meta.url), 'utf8');
/** No day: it runs when somebody makes a job of it. */
const never = '0 0 31 2 *';

/** A dump a day on a volume of its own, so many days back, and what brings one back (docs/operate/backups.md). */
export class PostgresBackups extends pulumi.ComponentResource {
  constructor(name: string, args: PostgresBackupsArgs, opts?: pulumi.ComponentResourceOptions) {
    super('parley:kubernetes:PostgresBackups', name, {}, opts);
    const { scope, plan } = args;
    const labels = labelsOf(scope, 'database-backup');
    const metadata = { namespace: scope.namespace, name: 'database-backups', labels };
    const dump = script(args.database, plan.keepBackupsDays);
    const volume = new k8s.core.v1.PersistentVolumeClaim(
      name,
      // Storage classes that wait for a first pod would let an `up` wait until the first backup.
      {
        metadata: { ...metadata, annotations: { 'pulumi.com/skipAwait': 'true' } },
        spec: claimOf(plan, args.storageClass),
      },
      // As for the database's own: another size must not be another volume.
      { parent: this, ignoreChanges: ['spec'], protect: !args.erasable },
    );
    new k8s.batch.v1.CronJob(
      name,
      {
        metadata,
        spec: {
          schedule: '17 3 * * *',
          concurrencyPolicy: 'Forbid',
          startingDeadlineSeconds: 6 * 3_600,
          successfulJobsHistoryLimit: 1,
          failedJobsHistoryLimit: 3,
          jobTemplate: {
            spec: {
              backoffLimit: 2,
              activeDeadlineSeconds: 4 * 3_600,
              template: { metadata: { labels }, spec: podOf(args, dump, volume.metadata.name) },
            },
          },
        },
      },
      { parent: this },
    );
    new k8s.batch.v1.CronJob(
      `${name}-restore`,
      {
        metadata: { ...metadata, name: 'database-restore' },
        spec: {
          schedule: never,
          suspend: true,
          jobTemplate: {
            spec: {
              // Half a restore is looked at before it is tried again.
              backoffLimit: 0,
              activeDeadlineSeconds: 4 * 3_600,
              template: { metadata: { labels }, spec: podOf(args, restoreScript, volume.metadata.name) },
            },
          },
        },
      },
      { parent: this },
    );
    this.registerOutputs({});
  }
}

function podOf(
  { scope, image, admin, passwordSecret }: PostgresBackupsArgs,
  command: string,
  claimName: pulumi.Input<string>,
) {
  const tmp = scratch('tmp', '/tmp');
  return {
    ...quietPod(scope),
    restartPolicy: 'Never',
    securityContext: podSecurity(postgresUser),
    volumes: [tmp.volume, { name: 'backups', persistentVolumeClaim: { claimName } }],
    containers: [
      {
        name: 'dump',
        image,
        command: ['/bin/sh', '-c', command],
        env: [
          { name: 'PGHOST', value: 'database' },
          { name: 'PGUSER', value: admin },
          { name: 'PGPASSWORD', valueFrom: { secretKeyRef: { name: passwordSecret, key: 'password' } } },
        ],
        securityContext: containerSecurity,
        resources: resourcesOf(resources),
        volumeMounts: [tmp.mount, { name: 'backups', mountPath: '/backups' }],
      },
    ],
  };
}
