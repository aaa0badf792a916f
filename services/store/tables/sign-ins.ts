import { first, one, type Queryable, sql } from '../sql.ts';

/** Which refresh token of which sign-in. */
export interface Generation {
  signIn: string;
  generation: number;
}

export interface SignInRow {
  person: string;
  generation: number;
}

interface Lasting {
  /** How long the sign-in lasts if it is not refreshed. */
  validMs: number;
}

export const insertSignIn = (q: Queryable, { person, validMs }: Lasting & { person: string }) =>
  one<{ id: string }>(
    q,
    sql`
    insert into people.sign_ins (person_id, expires_at)
    values (${person}, clock_timestamp() + ${validMs} * interval '1 millisecond') returning id`,
  );

/** The next generation; nothing unless this one is the newest of a sign-in that lasts. Of several at once one gets it. */
export const rotateSignIn = (q: Queryable, { signIn, generation, validMs }: Generation & Lasting) =>
  first<SignInRow>(
    q,
    sql`
    update people.sign_ins set generation = generation + 1, rotated_at = clock_timestamp(),
      expires_at = clock_timestamp() + ${validMs} * interval '1 millisecond'
    where id = ${signIn} and generation = ${generation} and ended_at is null and expires_at > clock_timestamp()
    returning person_id as person, generation`,
  );

/** The newest generation where this is the one before and was replaced no longer ago than `graceMs`. */
export const findSuccessor = (q: Queryable, { signIn, generation, graceMs }: Generation & { graceMs: number }) =>
  first<SignInRow>(
    q,
    sql`
    select person_id as person, generation from people.sign_ins
    where id = ${signIn} and generation = ${generation + 1} and ended_at is null
      and rotated_at > clock_timestamp() - ${graceMs} * interval '1 millisecond'`,
  );

/** Ends a sign-in whose older token came back. Tells whether there was one to end. */
export const endReused = async (q: Queryable, { signIn, generation }: Generation) =>
  (await first(
    q,
    sql`
    update people.sign_ins set ended_at = clock_timestamp(), ended_by = 'reuse'
    where id = ${signIn} and generation > ${generation} and ended_at is null returning 1`,
  )) !== undefined;

export const endSignIn = (q: Queryable, signIn: string) =>
  q.query(sql`
    update people.sign_ins set ended_at = clock_timestamp(), ended_by = 'sign_out'
    where id = ${signIn} and ended_at is null`);

/** Of a person whose password an operator has set anew. */
export const endSignInsOf = (q: Queryable, person: string) =>
  q.query(sql`
    update people.sign_ins set ended_at = clock_timestamp(), ended_by = 'reset'
    where person_id = ${person} and ended_at is null`);

/** Of a person who has taken a way in from themselves; the sign-in by which they did it lasts. */
export const endOtherSignIns = (q: Queryable, { person, signIn }: { person: string; signIn: string }) =>
  q.query(sql`
    update people.sign_ins set ended_at = clock_timestamp(), ended_by = 'sign_out'
    where person_id = ${person} and id <> ${signIn} and ended_at is null`);

/** Whether the sign-in of this person lasts. */
export const lasts = async (q: Queryable, { signIn, person }: { signIn: string; person: string }) =>
  (await first(
    q,
    sql`
    select 1 from people.sign_ins
    where id = ${signIn} and person_id = ${person} and ended_at is null and expires_at > clock_timestamp()`,
  )) !== undefined;

/** Those that can't come back. An ended one is known for as long as its tokens would have been good. */
export const forgetSignIns = (q: Queryable, person: string) =>
  q.query(sql`delete from people.sign_ins where person_id = ${person} and expires_at < clock_timestamp()`);
