import { problems } from '../../contract/problems.ts';
import type { Queryable } from '../../store/sql.ts';
import {
  type AttemptLimit,
  countAttempt,
  forgetAttempts,
  forgetOldAttempts,
  takeBackAttempts,
} from '../../store/tables/attempts.ts';
import { sha256 } from '../sessions/ids.ts';

export interface Trying {
  /** In lower case. */
  email: string;
  /** Where the request comes from. */
  address: string;
}

const minuteMs = 60_000;

/**
 * Wrong passwords that are looked at. By account and address, so that a stranger elsewhere does not lock a person out; by address, for whoever
 * tries many accounts; by account, for whoever has many addresses: that one can keep a person from signing in for an hour, and anybody signed in
 * stays so. 100 an hour is the most that NIST SP 800-63B-4 (3.2.2) allows in a row.
 */
const limits = ({ email, address }: Trying): AttemptLimit[] => [
  { key: sha256('account and address', email, address), most: 10, windowMs: 15 * minuteMs },
  { key: sha256('address', address), most: 50, windowMs: 15 * minuteMs },
  { key: keyOfAccount(email), most: 100, windowMs: 60 * minuteMs },
];

const keyOfAccount = (email: string): Buffer => sha256('account', email);

/**
 * Lets `check` look at a password, unless too many were wrong. They are counted before, in the database, so that neither a thousand at once
 * nor several replicas look at more. @throws Problem `rate_limited`
 */
export async function throttled(q: Queryable, trying: Trying, check: () => Promise<boolean>): Promise<boolean> {
  const asked = limits(trying);
  const { counted, secondsLeft } = await countAttempt(q, asked);
  const keys = asked.slice(0, counted).map(({ key }) => key);
  // What is not looked at counts for nobody; where the first limit is reached, nothing was counted.
  if (secondsLeft !== null) {
    if (counted > 0) await takeBackAttempts(q, keys);
    throw problems.rateLimited(secondsLeft);
  }
  const isRight = await check();
  if (isRight) await takeBackAttempts(q, keys);
  return isRight;
}

/** The account's own count, for whoever was kept out; and what is over. */
export async function forgiveAccount(q: Queryable, email: string): Promise<void> {
  await forgetAttempts(q, keyOfAccount(email));
  await forgetOldAttempts(q);
}
