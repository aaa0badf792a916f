import { first, type Queryable, sql } from '../sql.ts';

/** Somebody who has gone to an identity provider. */
export interface DepartureRow {
  state: string;
  nonce: string;
  verifier: string;
  /** The hash of the invitation that is to be accepted. */
  invitation: Buffer | null;
  destination: string;
  /** The sign-in of whoever links an identity to themselves; null: they sign in. */
  linking: string | null;
}

export interface NewDeparture extends DepartureRow {
  hash: Buffer;
  validMs: number;
}

/** Those that nobody has come back from go at the same time. */
export const insertDeparture = (q: Queryable, departure: NewDeparture) =>
  q.query(sql`
    with stale as (delete from people.departures where expires_at < clock_timestamp())
    insert into people.departures (hash, state, nonce, verifier, invitation, destination, linking, expires_at)
    values (${departure.hash}, ${departure.state}, ${departure.nonce}, ${departure.verifier}, ${departure.invitation},
      ${departure.destination}, ${departure.linking}, clock_timestamp() + ${departure.validMs} * interval '1 millisecond')`);

/** Whether it is there, of somebody who links an identity. */
export const isDepartureToLink = async (q: Queryable, hash: Buffer): Promise<boolean> =>
  (await first(
    q,
    sql`
    select 1 from people.departures where hash = ${hash} and linking is not null and expires_at > clock_timestamp()`,
  )) !== undefined;

/** Once: of several at the same time one gets it. */
export const takeDeparture = (q: Queryable, hash: Buffer) =>
  first<DepartureRow>(
    q,
    sql`
    delete from people.departures where hash = ${hash} and expires_at > clock_timestamp()
    returning state, nonce, verifier, invitation, destination, linking`,
  );
