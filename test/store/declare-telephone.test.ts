import { afterAll, beforeAll, expect, test } from 'vitest';
import type { DeclaredNumber, DeclaredTrunk } from '../../services/contract/generated/tenant.ts';
import { newUuid } from '../../services/core/sessions/ids.ts';
import { declareTelephone } from '../../services/core/telephony/declare-telephone.ts';
import { insertNumber, listNumbers } from '../../services/store/tables/numbers.ts';
import { insertTrunk, listTrunks } from '../../services/store/tables/trunks.ts';
import { type MigratedDatabase, startMigratedDatabase } from '../support/databases/migrated-database.ts';

let database: MigratedDatabase;
let tenants = 0;

beforeAll(async () => {
  database = await startMigratedDatabase();
});
afterAll(() => database?.[Symbol.asyncDispose]());

const carrier = (name: string, fields: Partial<DeclaredTrunk> = {}): DeclaredTrunk => ({
  ...{ name, address: 'sip.example.net', transport: 'udp', allowedAddresses: ['203.0.113.16/28'] },
  ...{ allowedPrefixes: [], maxDialsPerMinute: 0, maxCallsPerDay: 0, maxMinutesPerDay: 0 },
  ...fields,
});
/** Of this tenant's own range. */
const numberOf = (last: number) => `+4930${tenants}00${last}`;
const reached = (last: number, trunk: string, fields: Partial<DeclaredNumber> = {}): DeclaredNumber => ({
  ...{ number: numberOf(last), trunk, agent: 'desk', whenRefused: 'busy' },
  ...fields,
});

async function aTenant() {
  tenants += 1;
  const { tenant } = await database.addTenant(`declares-${tenants}`);
  const { db } = database;
  return {
    tenant,
    declare: (trunks: DeclaredTrunk[], numbers: DeclaredNumber[] = []) =>
      declareTelephone(db, tenant, { trunks, numbers }),
    /** `name or number by whom`, and what it leads to. */
    stored: () =>
      db.asTenant(tenant, async (tx) => {
        const trunks = await listTrunks(tx);
        const nameOf = (id: string) => trunks.find((trunk) => trunk.id === id)?.name;
        const numbers = await listNumbers(tx, { after: undefined, limit: 100 });
        return [
          ...trunks.map(({ name, managed_by, address }) => `${name} by ${managed_by}: ${address}`),
          ...numbers.map(
            ({ number, managed_by, agent, trunk_id }) => `${number} by ${managed_by}: ${agent} on ${nameOf(trunk_id)}`,
          ),
        ];
      }),
    /** As a person adds them. */
    addTrunk: (name: string) =>
      db.asTenant(tenant, async (tx) => {
        const { name: _, username, password, allowedAddresses, ...rest } = carrier(name);
        const terms = { address: rest.address, transport: rest.transport, allowed_addresses: allowedAddresses };
        const closed = { allowed_prefixes: [], max_dials_per_minute: 0, max_calls_a_day: 0, max_minutes_a_day: 0 };
        const signsIn = { auth_username: username ?? null, auth_password: password ?? null };
        const row = await insertTrunk(tx, tenant, {
          ...{ id: newUuid(), name, managed_by: 'person' },
          ...{ ...terms, ...closed, ...signsIn },
        });
        return row?.id ?? '';
      }),
    addNumber: (last: number, trunk: string) =>
      db.asTenant(tenant, async (tx) => {
        const id = (await listTrunks(tx)).find(({ name }) => name === trunk)?.id ?? '';
        const terms = { agent: 'own', language: null, hours: null, when_refused: 'busy' } as const;
        await insertNumber(tx, tenant, { number: numberOf(last), trunk_id: id, ...terms, managed_by: 'person' });
      }),
  };
}

test('what is declared is made, a second time changes nothing, and what is no longer declared goes', async () => {
  const { declare, stored } = await aTenant();
  const first = [carrier('one'), carrier('two')];
  expect(await declare(first, [reached(1, 'one'), reached(2, 'two')])).toEqual({ trunks: 2, numbers: 2, removed: 0 });
  const made = await stored();
  await Promise.all([
    declare(first, [reached(1, 'one'), reached(2, 'two')]),
    declare(first, [reached(1, 'one'), reached(2, 'two')]),
  ]);
  expect(await stored()).toEqual(made);
  const moved = await declare(
    [carrier('two', { address: 'other.example.net' })],
    [reached(1, 'two', { agent: 'night' })],
  );
  expect(moved).toEqual({ trunks: 1, numbers: 1, removed: 2 });
  expect(await stored()).toEqual(['two by stack: other.example.net', `${numberOf(1)} by stack: night on two`]);
  expect(await declare([])).toEqual({ trunks: 0, numbers: 0, removed: 2 });
  expect(await stored()).toEqual([]);
});

test('what a person made stays, whatever is declared', async () => {
  const { declare, stored, addTrunk, addNumber } = await aTenant();
  await addTrunk('own');
  await addNumber(7, 'own');
  const theirs = await stored();
  await declare([carrier('one')], [reached(1, 'one')]);
  await declare([]);
  expect(await stored()).toEqual(theirs);
});

test('what a person has already is refused, and so is a trunk that would leave people’s numbers: nothing of it is done', async () => {
  const { declare, stored, addTrunk, addNumber } = await aTenant();
  await addTrunk('own');
  await addNumber(7, 'own');
  await declare([carrier('one')]);
  await addNumber(8, 'one');
  const before = await stored();
  await expect(declare([carrier('own')])).rejects.toThrow('A person has made a trunk "own"');
  await expect(declare([carrier('one')], [reached(1, 'one'), reached(7, 'one')])).rejects.toThrow(
    `A person has added ${numberOf(7)}`,
  );
  await expect(declare([carrier('two')])).rejects.toThrow(`the trunk "one" (${numberOf(8)})`);
  expect(await stored()).toEqual(before);
});

test('a number of another tenant is refused', async () => {
  const first = await aTenant();
  const number = reached(1, 'one');
  await first.declare([carrier('one')], [number]);
  const second = await aTenant();
  await expect(second.declare([carrier('one')], [number])).rejects.toThrow(`Another tenant has ${number.number}`);
  expect(await second.stored()).toEqual([]);
});
