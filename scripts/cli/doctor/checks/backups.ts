/** How old the last good backup is, as the one who makes it tells. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { type Finding, failed, ok, reason } from './finding.ts';

const run = promisify(execFile);
const oldestHours = 36;

/** Where a stack's backups are made. */
export type BackupLocation =
  | { kind: 'statefulset'; namespace: string }
  | { kind: 'cloudnativepg'; namespace: string }
  | { kind: 'rds'; instance: string };

interface Question {
  command: string;
  args: string[];
  /** When the last good one was made, out of the answer. */
  read(answer: unknown): string | undefined;
}

const questions = {
  cronjob: ({ namespace }: { namespace: string }): Question => ({
    command: 'kubectl',
    args: ['--namespace', namespace, 'get', 'cronjob', 'database-backups', '--output', 'json'],
    read: (answer) => (answer as { status?: { lastSuccessfulTime?: string } }).status?.lastSuccessfulTime,
  }),
  cloudNativePg: ({ namespace }: { namespace: string }): Question => ({
    command: 'kubectl',
    args: ['--namespace', namespace, 'get', 'clusters.postgresql.cnpg.io', 'database', '--output', 'json'],
    read: (answer) => (answer as { status?: { lastSuccessfulBackup?: string } }).status?.lastSuccessfulBackup,
  }),
  rds: ({ instance }: { instance: string }): Question => ({
    command: 'aws',
    args: ['rds', 'describe-db-instances', '--db-instance-identifier', instance, '--output', 'json'],
    read: (answer) =>
      (answer as { DBInstances?: { LatestRestorableTime?: string }[] }).DBInstances?.[0]?.LatestRestorableTime,
  }),
};

function questionFor(location: BackupLocation): Question {
  switch (location.kind) {
    case 'statefulset':
      return questions.cronjob(location);
    case 'cloudnativepg':
      return questions.cloudNativePg(location);
    case 'rds':
      return questions.rds(location);
  }
}

export async function checkBackups(location: BackupLocation, now = new Date(), env = process.env): Promise<Finding> {
  const { command, args, read } = questionFor(location);
  try {
    const { stdout } = await run(command, args, { timeout: 30_000, env });
    return ageFinding(read(JSON.parse(stdout)), now);
  } catch (error) {
    const todo = `"${command} ${args.join(' ')}" must work here: install it and log in.`;
    return failed('backups', `Nobody tells (${reason(error).split('\n')[0]}).`, todo);
  }
}

export function ageFinding(last: string | undefined, now: Date): Finding {
  const todo = 'See docs/runbooks/ParleyBackupMissing.md.';
  if (last === undefined) return failed('backups', 'There has been no good one yet.', todo);
  const hours = (now.getTime() - Date.parse(last)) / 3_600_000;
  const says = `The last good one is ${hours.toFixed(1)} hours old.`;
  return hours <= oldestHours ? ok('backups', says) : failed('backups', says, todo);
}
