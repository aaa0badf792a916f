import type { Wait } from './wait.ts';

/** Of https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/accessing-monitoring.html those that do not pass by themselves. */
const statuses: Readonly<Record<string, string>> = {
  failed: 'it cannot be recovered: restore it (docs/operate/backups.md)',
  'inaccessible-encryption-credentials': 'the key that it is encrypted with cannot be used: enable it in KMS',
  'inaccessible-encryption-credentials-recoverable':
    'the key that it is encrypted with cannot be used: enable it in KMS, and start the server',
  'incompatible-network': 'its subnets have no free address, or are gone',
  'incompatible-option-group': 'its option group does not go with its engine',
  'incompatible-parameters': 'a setting of its parameter group does not go with its class or version',
  'incompatible-restore': 'what it is restored from does not go with it',
  'insufficient-capacity': 'AWS has none of its class in these zones now',
  'restore-error': 'what it is restored from, or the time, is not there',
  'storage-full': 'its disk is full: raise parley:database.storageGib',
};

interface Instances {
  DBInstances: readonly { DBInstanceStatus?: string }[];
}
interface Events {
  Events: readonly { Message?: string }[];
}

/** What went wrong with it in the last hour, in RDS's words. */
const failures = ['--source-type', 'db-instance', '--duration', '60', '--event-categories', 'failure'];

export const databaseServer =
  (database: string): Wait =>
  async (ask) => {
    const described = await ask<Instances>('rds', 'describe-db-instances', '--db-instance-identifier', database);
    const status = described?.DBInstances[0]?.DBInstanceStatus ?? '';
    const words = statuses[status];
    if (words === undefined) return [];
    const events = await ask<Events>('rds', 'describe-events', '--source-identifier', database, ...failures);
    const last = events?.Events.at(-1)?.Message;
    return [`the database server: ${status}, ${words}.${last === undefined ? '' : ` RDS says: ${last}`}`];
  };
