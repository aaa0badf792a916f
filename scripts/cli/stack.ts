import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { Fault } from '../toolchain/fault.ts';
import type { BackupLocation } from './doctor/checks/backups.ts';

const run = promisify(execFile);

/** What a stack tells of the tenant that it made. */
export interface StackOutputs {
  url: string;
  /** Prints an agent's key. */
  credentials: string;
  /** Undefined where somebody else makes them: an existing database's owner, or the foundation that is shared. */
  backups: BackupLocation | undefined;
  /** Of the tenant; undefined for a stack of a release that did not tell it. */
  namespace: string | undefined;
  /** Of its SIP bridges; undefined where there are none. */
  phone: string | undefined;
}

/** As `infra/index.ts` gives it out. */
interface ToldBackups {
  kind: string;
  namespace: string;
  instance?: string;
}

function locationOf({ kind, namespace, instance }: ToldBackups): BackupLocation | undefined {
  if (kind === 'statefulset' || kind === 'cloudnativepg') return { kind, namespace };
  return kind === 'rds' && instance !== undefined ? { kind, instance } : undefined;
}

/** @throws Fault when Pulumi has no such stack here, or it was never brought up. */
export async function readStack(stack: string, env = process.env): Promise<StackOutputs> {
  let told: Partial<Pick<StackOutputs, 'url' | 'credentials' | 'phone'>> & { backups?: ToldBackups };
  try {
    const { stdout } = await run('pulumi', ['stack', 'output', '--json', '--stack', stack], { env, timeout: 60_000 });
    told = JSON.parse(stdout) as typeof told;
  } catch (error) {
    const { stderr = '', message } = error as { stderr?: string; message: string };
    const said = stderr.trim().split('\n').at(-1) || message;
    throw new Fault(`Pulumi doesn't tell the outputs of stack "${stack}": ${said}`);
  }
  if (typeof told.url !== 'string') throw new Fault(`Stack "${stack}" has no output "url": run "pulumi up" first.`);
  return {
    url: told.url,
    credentials: told.credentials ?? '',
    backups: told.backups && locationOf(told.backups),
    namespace: told.backups?.namespace,
    phone: told.phone,
  };
}
