/** Trunks and numbers of a tenant's stack, which nobody else changes. */
import type { DeclaredTelephone } from '../../contract/declared-telephone.ts';
import type { DeclaredNumber, DeclaredTrunk } from '../../contract/generated/tenant.ts';
import type { Database, Tx } from '../../store/database.ts';
import {
  deleteNumber,
  findNumber,
  insertNumber,
  listNumbersOfStack,
  listNumbersOfTrunk,
  type NewNumber,
  updateNumber,
} from '../../store/tables/numbers.ts';
import {
  deleteTrunk,
  findTrunkByName,
  insertTrunk,
  listTrunks,
  type NewTrunk,
  updateTrunk,
} from '../../store/tables/trunks.ts';
import { newUuid } from '../sessions/ids.ts';

/** What is declared cannot be, because of what others have made. */
export class DeclarationRefused extends Error {
  constructor(sentences: readonly string[]) {
    super(`The telephone cannot be as it is declared:\n${sentences.map((sentence) => `  ${sentence}`).join('\n')}`);
    this.name = 'DeclarationRefused';
  }
}

/** How many there are afterwards, and how many of before went. */
export interface Declared {
  trunks: number;
  numbers: number;
  removed: number;
}

/**
 * Makes what the stack declares, and takes away what it declared before and no longer does. What a person made stays as it is. All of it
 * or nothing; it may run again at any time.
 * @throws DeclarationRefused with every reason at once
 */
export const declareTelephone = (db: Database, tenant: string, declared: DeclaredTelephone): Promise<Declared> =>
  db.asTenant(tenant, async (tx) => {
    const refused: string[] = [];
    const idOf = new Map<string, string>();
    for (const trunk of declared.trunks) {
      const id = await keepTrunk(tx, trunk);
      if (id === undefined) refused.push(`A person has made a trunk "${trunk.name}": rename one of the two.`);
      else idOf.set(trunk.name, id);
    }
    for (const number of declared.numbers) {
      const trunk = idOf.get(number.trunk);
      const sentence = trunk === undefined ? undefined : await keepNumber(tx, number, trunk);
      if (sentence !== undefined) refused.push(sentence);
    }
    const removed = await removeNumbers(tx, declared.numbers);
    const { removed: gone, refused: needed } = await removeTrunks(tx, declared.trunks);
    refused.push(...needed);
    if (refused.length > 0) throw new DeclarationRefused(refused);
    return { trunks: declared.trunks.length, numbers: declared.numbers.length, removed: removed + gone };
  });

/** Its id; undefined where a person's has the name. */
async function keepTrunk(tx: Tx, declared: DeclaredTrunk): Promise<string | undefined> {
  const terms = trunkTerms(declared);
  const { name } = declared;
  const made = await insertTrunk(tx, tx.tenant, { id: newUuid(), name, ...terms, managed_by: 'stack' });
  const row = made ?? (await findTrunkByName(tx, name));
  if (row?.managed_by !== 'stack') return undefined;
  if (!made) await updateTrunk(tx, { id: row.id, ...terms });
  return row.id;
}

/** Why it cannot be; undefined where it is. */
async function keepNumber(tx: Tx, declared: DeclaredNumber, trunk: string): Promise<string | undefined> {
  const { number } = declared;
  const terms = numberTerms(declared, trunk);
  if (await insertNumber(tx, tx.tenant, { number, ...terms, managed_by: 'stack' })) return undefined;
  const row = await findNumber(tx, number);
  if (!row) return `Another tenant has ${number}.`;
  if (row.managed_by === 'person') return `A person has added ${number}: remove it there, or leave it out here.`;
  await updateNumber(tx, { number, ...terms });
  return undefined;
}

async function removeNumbers(tx: Tx, declared: DeclaredTelephone['numbers']): Promise<number> {
  const kept = new Set(declared.map(({ number }) => number));
  const left = (await listNumbersOfStack(tx)).filter(({ number }) => !kept.has(number));
  for (const { number } of left) await deleteNumber(tx, number);
  return left.length;
}

async function removeTrunks(tx: Tx, declared: DeclaredTelephone['trunks']) {
  const kept = new Set(declared.map(({ name }) => name));
  const left = (await listTrunks(tx)).filter(({ name, managed_by }) => managed_by === 'stack' && !kept.has(name));
  const refused: string[] = [];
  for (const { id, name } of left) {
    if (await deleteTrunk(tx, id)) continue;
    const theirs = (await listNumbersOfTrunk(tx, id)).map(({ number }) => number).join(', ');
    refused.push(`People have added numbers to the trunk "${name}" (${theirs}): keep it, or remove them first.`);
  }
  return { removed: left.length - refused.length, refused };
}

const trunkTerms = (declared: DeclaredTrunk): Omit<NewTrunk, 'id' | 'name' | 'managed_by'> => ({
  address: declared.address,
  transport: declared.transport,
  auth_username: declared.username ?? null,
  auth_password: declared.password ?? null,
  allowed_addresses: declared.allowedAddresses,
  allowed_prefixes: declared.allowedPrefixes,
  max_dials_per_minute: declared.maxDialsPerMinute,
  max_calls_a_day: declared.maxCallsPerDay,
  max_minutes_a_day: declared.maxMinutesPerDay,
});

const numberTerms = (declared: DeclaredNumber, trunk: string): Omit<NewNumber, 'number' | 'managed_by'> => ({
  trunk_id: trunk,
  agent: declared.agent ?? null,
  language: declared.language ?? null,
  hours: declared.hours ?? null,
  when_refused: declared.whenRefused,
});
