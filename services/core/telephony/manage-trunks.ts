/** What people do with trunks. Those that the stack declares are the stack's to change. */
import type { ChangeTrunkBody, CreateTrunkBody } from '../../contract/generated/api.ts';
import { problems } from '../../contract/problems.ts';
import type { TrunkShown } from '../../contract/telephony.ts';
import type { Database } from '../../store/database.ts';
import {
  deleteTrunk,
  findTrunk,
  insertTrunk,
  listTrunks,
  lockTrunk,
  type NewTrunk,
  type TrunkRow,
  updateTrunk,
} from '../../store/tables/trunks.ts';
import { type Acting, audited } from '../account/acting.ts';
import { type OnceDeps, once } from '../account/once.ts';
import { newUuid } from '../sessions/ids.ts';

type Terms = Omit<NewTrunk, 'id' | 'name' | 'managed_by'>;

/** Everything that costs money is closed. */
const closed: Omit<Terms, 'address'> = {
  transport: 'udp',
  auth_username: null,
  auth_password: null,
  allowed_addresses: [],
  allowed_prefixes: [],
  max_dials_per_minute: 0,
  max_calls_a_day: 0,
  max_minutes_a_day: 0,
};

export const toShownTrunk = (row: TrunkRow): TrunkShown => ({
  id: row.id,
  name: row.name,
  address: row.address,
  transport: row.transport,
  username: row.auth_username,
  password: row.auth_password === null ? null : { env: row.auth_password },
  allowedAddresses: row.allowed_addresses,
  allowedPrefixes: row.allowed_prefixes,
  maxDialsPerMinute: row.max_dials_per_minute,
  maxCallsPerDay: row.max_calls_a_day,
  maxMinutesPerDay: row.max_minutes_a_day,
  managedBy: row.managed_by,
});

/**
 * Fields that are left out stay as they were; `byPassword: false` takes the user name and the password away.
 * @throws Problem `trunk_open`, `invalid_request`
 */
export function termsOf(before: Terms, given: ChangeTrunkBody): Terms {
  if (given.byPassword === false && (given.username !== undefined || given.password !== undefined))
    throw problems.invalidRequest('Give "username" and "password", or take them away by "byPassword".');
  const signsIn = given.byPassword === false ? closed : before;
  const terms: Terms = {
    address: given.address ?? before.address,
    transport: given.transport ?? before.transport,
    auth_username: given.username ?? signsIn.auth_username,
    auth_password: given.password?.env ?? signsIn.auth_password,
    allowed_addresses: given.allowedAddresses ?? before.allowed_addresses,
    allowed_prefixes: given.allowedPrefixes ?? before.allowed_prefixes,
    max_dials_per_minute: given.maxDialsPerMinute ?? before.max_dials_per_minute,
    max_calls_a_day: given.maxCallsPerDay ?? before.max_calls_a_day,
    max_minutes_a_day: given.maxMinutesPerDay ?? before.max_minutes_a_day,
  };
  if ((terms.auth_username === null) !== (terms.auth_password === null))
    throw problems.invalidRequest('Give "username" and "password" together.');
  if (terms.auth_username === null && terms.allowed_addresses.length === 0) throw problems.trunkOpen();
  return terms;
}

export const trunksOf = async (db: Database, { tenant }: Acting): Promise<TrunkShown[]> =>
  (await db.asTenant(tenant, listTrunks)).map(toShownTrunk);

/** @throws Problem `trunk_not_found` */
export async function showTrunk(db: Database, { tenant }: Acting, id: string): Promise<TrunkShown> {
  const row = await db.asTenant(tenant, (tx) => findTrunk(tx, id));
  if (!row) throw problems.trunkNotFound();
  return toShownTrunk(row);
}

/** @throws Problem `trunk_open`, `name_taken`, `invalid_request`, `idempotency_key_reused` */
export async function addTrunk(
  deps: OnceDeps,
  acting: Acting,
  { name, ...given }: CreateTrunkBody,
): Promise<TrunkShown> {
  const { answer } = await once(deps, acting, async (tx) => {
    const terms = termsOf({ ...closed, address: given.address }, given);
    const row = await insertTrunk(tx, acting.tenant, { id: newUuid(), name, ...terms, managed_by: 'person' });
    if (!row) throw problems.trunkNameTaken(name);
    await audited(tx, acting, { action: 'trunk.made', target: row.id, details: { name } });
    return toShownTrunk(row);
  });
  return answer;
}

export interface TrunkChange {
  id: string;
  given: ChangeTrunkBody;
  /** Whether it is still what the person had before them. */
  isSame(trunk: TrunkShown): boolean;
}

/** @throws Problem `trunk_not_found`, `managed_by_stack`, `precondition_failed`, `trunk_open`, `invalid_request` */
export const changeTrunk = (db: Database, acting: Acting, { id, given, isSame }: TrunkChange): Promise<TrunkShown> =>
  db.asTenant(acting.tenant, async (tx) => {
    const row = ownedByPeople(await lockTrunk(tx, id));
    if (!isSame(toShownTrunk(row))) throw problems.preconditionFailed();
    const changed = await updateTrunk(tx, { id, ...termsOf(row, given) });
    if (!changed) throw problems.trunkNotFound();
    await audited(tx, acting, { action: 'trunk.changed', target: id, details: { fields: Object.keys(given) } });
    return toShownTrunk(changed);
  });

/** @throws Problem `trunk_not_found`, `managed_by_stack`, `trunk_in_use` */
export const removeTrunk = (db: Database, acting: Acting, id: string): Promise<void> =>
  db.asTenant(acting.tenant, async (tx) => {
    const { name } = ownedByPeople(await lockTrunk(tx, id));
    if (!(await deleteTrunk(tx, id))) throw problems.trunkInUse();
    await audited(tx, acting, { action: 'trunk.removed', target: id, details: { name } });
  });

function ownedByPeople(row: TrunkRow | undefined): TrunkRow {
  if (!row) throw problems.trunkNotFound();
  if (row.managed_by === 'stack') throw problems.managedByStack('trunks');
  return row;
}
