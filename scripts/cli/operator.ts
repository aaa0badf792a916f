import { Problem } from '../../services/contract/problems.ts';
import { readPeopleKeys } from '../../services/core/account/people-keys.ts';
import { makeVault, type Vault } from '../../services/core/credentials/vault.ts';
import { bestEffort } from '../../services/process/best-effort.ts';
import { settings } from '../../services/settings/settings.ts';
import { type Database, isDatabaseUnavailable, openDatabase } from '../../services/store/database.ts';
import type { Notifier } from '../../services/store/notify.ts';
import { peopleDatabaseUrl } from '../../services/store/people-database.ts';
import { sql } from '../../services/store/sql.ts';
import { listAgents } from '../../services/store/tables/agents.ts';
import { locateTenant } from '../../services/store/tables/tenants.ts';
import { Fault } from '../toolchain/fault.ts';
import { say } from '../toolchain/say.ts';
import { type Pod, runInStack } from './in-stack.ts';
import { findTarget, type Target, type TargetFlags } from './target.ts';

const mostNames = 20;

/** What a command works with. */
export interface Operator {
  db: Database;
  /** The tenant's id. */
  tenant: string;
  notifier: Notifier;
  target: Target;
  /** @throws Fault when no master keys were given. */
  vault(): Vault;
  say(line: string): void;
}

/**
 * Does an operator's work on the target that the flags name, or has it done in a pod of the stack that they name.
 * @throws Fault, one sentence, for whatever goes wrong
 */
export async function asOperator(
  flags: TargetFlags,
  work: (operator: Operator) => Promise<void>,
  pod: Pod = 'worker',
): Promise<void> {
  const { stack, url } = flags;
  if (stack !== undefined)
    return runInStack(stack, process.argv.slice(2), { pod, needsUrl: 'url' in flags && url === undefined });
  try {
    await workOn(await findTarget(flags, process.env), work);
  } catch (error) {
    throw error instanceof Fault ? error : new Fault(sentenceFor(error), { cause: error });
  }
}

async function workOn(target: Target, work: (operator: Operator) => Promise<void>): Promise<void> {
  const db = openDatabase(target.databaseUrl, { applicationName: 'parley-operator', maxConnections: 2 });
  const told: Promise<unknown>[] = [];
  try {
    const tenant = await locateTenant(db, target.tenant);
    if (!tenant) throw new Fault(`There is no tenant "${target.tenant}" in this database: give another with --tenant.`);
    const notifier: Notifier = {
      // At once: this process ends before a coalescing notifier would speak.
      tell: (channel, payload) => {
        const notified = db.query(sql`select pg_notify(${channel}, ${payload})`);
        told.push(bestEffort('whoever listens looks by itself as well', notified));
      },
    };
    const operator = { db, tenant, notifier, target, vault: () => openVault(target), say };
    await work(operator).catch(async (error: unknown) => {
      throw error instanceof Problem && error.code === 'agent_not_found' ? await withNames(operator, error) : error;
    });
  } finally {
    await Promise.all(told);
    await db.close();
  }
}

/** Works as the database's role for persons. @throws Fault without the keys that its password comes from */
export async function asPeople<Result>(
  { databaseUrl, peopleKeys }: Target,
  work: (people: Database) => Promise<Result>,
): Promise<Result> {
  if (!peopleKeys) throw new Fault(`Set ${settings.peopleKeys.name} to the keys for people of this installation.`);
  const url = peopleDatabaseUrl(databaseUrl, readPeopleKeys(peopleKeys).databasePassword);
  const people = openDatabase(url, { applicationName: 'parley-operator-people', maxConnections: 1 });
  return work(people).finally(() => people.close());
}

/** Most of those that are not there are misspelt. */
async function withNames({ db, tenant }: Operator, { message }: Problem): Promise<Fault> {
  const names = (await db.asTenant(tenant, listAgents)).filter((row) => !row.deleted_at).map(({ agent }) => agent);
  const shown = names.slice(0, mostNames).join(', ');
  const more = names.length > mostNames ? ` and ${names.length - mostNames} more` : '';
  return new Fault(`${message} There are: ${shown || 'none'}${more}.`);
}

function openVault({ masterKeys }: Target): Vault {
  if (!masterKeys)
    throw new Fault(`Credentials are sealed: set ${settings.masterKeys.name} to the master keys of this installation.`);
  try {
    return makeVault(masterKeys);
  } catch (error) {
    throw new Fault(`${settings.masterKeys.name} is no use: ${(error as Error).message}.`);
  }
}

function sentenceFor(error: unknown): string {
  if (error instanceof Problem) return error.message;
  if (isDatabaseUnavailable(error))
    return `The database can't be reached (${(error as Error).message}): is it running, and is the address right?`;
  return `This went wrong and should not have: ${error instanceof Error ? error.message : String(error)}`;
}
