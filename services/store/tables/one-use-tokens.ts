import { first, type Queryable, sql } from '../sql.ts';

export type Purpose = 'sign_in' | 'reset_password';

export interface NewOneUseToken {
  hash: Buffer;
  purpose: Purpose;
  person: string;
  validMs: number;
}

export const insertOneUseToken = (q: Queryable, { hash, purpose, person, validMs }: NewOneUseToken) =>
  q.query(sql`
    insert into people.one_use_tokens (hash, purpose, person_id, expires_at)
    values (${hash}, ${purpose}, ${person}, clock_timestamp() + ${validMs} * interval '1 millisecond')`);

/** Whose it is. Of several at the same time one gets it. */
export const takeOneUseToken = async (q: Queryable, { hash, purpose }: Pick<NewOneUseToken, 'hash' | 'purpose'>) =>
  (
    await first<{ person: string }>(
      q,
      sql`
      delete from people.one_use_tokens
      where hash = ${hash} and purpose = ${purpose} and expires_at > clock_timestamp() returning person_id as person`,
    )
  )?.person;

/** What this person was given before for the same purpose opens nothing any more. */
export const withdrawOneUseTokens = (q: Queryable, { purpose, person }: Pick<NewOneUseToken, 'purpose' | 'person'>) =>
  q.query(sql`delete from people.one_use_tokens where person_id = ${person} and purpose = ${purpose}`);
