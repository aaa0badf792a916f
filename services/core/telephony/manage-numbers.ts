/** What people do with telephone numbers. Those that the stack declares are the stack's to change. */
import type { ChangeNumberBody, CreateNumberBody } from '../../contract/generated/api.ts';
import { faultOfHours } from '../../contract/opening-hours.ts';
import { problems } from '../../contract/problems.ts';
import type { NumberShown } from '../../contract/telephony.ts';
import type { Database, Tx } from '../../store/database.ts';
import {
  deleteNumber,
  findNumber,
  insertNumber,
  listNumbers,
  lockNumber,
  type NewNumber,
  type NumberRow,
  updateNumber,
} from '../../store/tables/numbers.ts';
import { findTrunk } from '../../store/tables/trunks.ts';
import { type Acting, audited } from '../account/acting.ts';
import { type OnceDeps, once } from '../account/once.ts';
import { loadLiveAgent } from '../agents/live-agent.ts';

type Terms = Omit<NewNumber, 'number' | 'managed_by'>;

export const toShownNumber = (row: NumberRow): NumberShown => ({
  number: row.number,
  trunk: row.trunk_id,
  agent: row.agent,
  language: row.language,
  hours: row.hours ?? 'always',
  whenRefused: row.when_refused,
  managedBy: row.managed_by,
});

const hoursOf = (before: NumberRow['hours'], given: ChangeNumberBody['hours']): NumberRow['hours'] => {
  if (given === undefined) return before;
  return typeof given === 'string' ? null : given;
};

/** Fields that are left out stay as they were. @throws Problem `trunk_not_found`, `agent_not_found`, `language_not_configured`, `invalid_request` */
async function termsOf(tx: Tx, before: Terms, given: ChangeNumberBody): Promise<Terms> {
  const terms: Terms = {
    trunk_id: given.trunk ?? before.trunk_id,
    agent: given.agent ?? before.agent,
    language: given.language ?? before.language,
    hours: hoursOf(before.hours, given.hours),
    when_refused: given.whenRefused ?? before.when_refused,
  };
  const fault = terms.hours && faultOfHours(terms.hours);
  if (fault) throw problems.invalidRequest(fault);
  if (!isUuid(terms.trunk_id) || !(await findTrunk(tx, terms.trunk_id))) throw problems.trunkNotFound();
  await refuseAgent(tx, terms);
  return terms;
}

async function refuseAgent(tx: Tx, { agent, language }: Terms): Promise<void> {
  if (agent === null) return;
  const live = await loadLiveAgent(tx, tx.tenant, agent);
  if (!live || live.closed === 'deleted') throw problems.agentNotFound(agent);
  const codes = live.definition.languages.map(({ code }) => code);
  if (language === null || codes.some((code) => code.toLowerCase() === language.toLowerCase())) return;
  throw problems.languageNotConfigured(language, codes);
}

const isUuid = (text: string): boolean => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text);

/** A page of numbers, by number. */
export const numbersOf = (
  db: Database,
  { tenant }: Acting,
  { after, limit }: { after: string | undefined; limit: number },
) =>
  db.asTenant(tenant, async (tx) => {
    // One more than is shown tells whether there is a next page.
    const rows = await listNumbers(tx, { after, limit: limit + 1 });
    const shown = rows.slice(0, limit);
    return { items: shown.map(toShownNumber), nextCursor: rows.length > limit ? (shown.at(-1)?.number ?? null) : null };
  });

/** @throws Problem `number_not_found` */
export async function showNumber(db: Database, { tenant }: Acting, number: string): Promise<NumberShown> {
  const row = await db.asTenant(tenant, (tx) => findNumber(tx, number));
  if (!row) throw problems.numberNotFound();
  return toShownNumber(row);
}

/** @throws Problem `number_taken`, what `termsOf` throws, `idempotency_key_reused` */
export async function addNumber(
  deps: OnceDeps,
  acting: Acting,
  { number, ...given }: CreateNumberBody,
): Promise<NumberShown> {
  const { answer } = await once(deps, acting, async (tx) => {
    const none = { trunk_id: given.trunk, agent: null, language: null, hours: null, when_refused: 'busy' } as const;
    const terms = await termsOf(tx, none, given);
    const row = await insertNumber(tx, acting.tenant, { number, ...terms, managed_by: 'person' });
    if (!row) throw problems.numberTaken();
    await audited(tx, acting, { action: 'number.made', target: number, details: { agent: terms.agent } });
    return toShownNumber(row);
  });
  return answer;
}

export interface NumberChange {
  number: string;
  given: ChangeNumberBody;
  /** Whether it is still what the person had before them. */
  isSame(number: NumberShown): boolean;
}

/** @throws Problem `number_not_found`, `managed_by_stack`, `precondition_failed`, what `termsOf` throws */
export const changeNumber = (
  db: Database,
  acting: Acting,
  { number, given, isSame }: NumberChange,
): Promise<NumberShown> =>
  db.asTenant(acting.tenant, async (tx) => {
    const row = ownedByPeople(await lockNumber(tx, number));
    if (!isSame(toShownNumber(row))) throw problems.preconditionFailed();
    const changed = await updateNumber(tx, { number, ...(await termsOf(tx, row, given)) });
    if (!changed) throw problems.numberNotFound();
    await audited(tx, acting, { action: 'number.changed', target: number, details: { fields: Object.keys(given) } });
    return toShownNumber(changed);
  });

/** @throws Problem `number_not_found`, `managed_by_stack` */
export const removeNumber = (db: Database, acting: Acting, number: string): Promise<void> =>
  db.asTenant(acting.tenant, async (tx) => {
    ownedByPeople(await lockNumber(tx, number));
    await deleteNumber(tx, number);
    await audited(tx, acting, { action: 'number.removed', target: number });
  });

function ownedByPeople(row: NumberRow | undefined): NumberRow {
  if (!row) throw problems.numberNotFound();
  if (row.managed_by === 'stack') throw problems.managedByStack('numbers');
  return row;
}
