import type { Store } from 'express-rate-limit';
import { Problem, problems } from '../../contract/problems.ts';
import { remember } from '../../process/remember.ts';
import { windowMs } from './window.ts';

export interface RefusedKeys {
  /**
   * Lets `check` look at the credential of a request from this address, and counts it if that refuses it.
   * @throws Problem `rate_limited` when as many were refused in this minute, or as many different ones are being looked at: then nothing
   * is asked of anybody
   */
  admit<Found>(address: string, credential: string, check: () => Promise<Found>): Promise<Found>;
}

interface Address {
  /** Refused over all replicas, as far as this one was told. */
  refused: number;
  /** Credentials that this one looks at, with how many requests wait for what is found. */
  pending: Map<string, number>;
  /** When this minute ends. */
  until: number;
}

/** Whoever has more than this many addresses is forgotten about, the oldest first: one of them costs what it did before. */
const mostAddresses = 10_000;

/** Counts credentials that were refused, by address, in the same store as requests. */
export function refusedKeys(store: Pick<Store, 'increment'>, limit: number): RefusedKeys {
  const addresses = new Map<string, Address>();

  const enter = (address: string): Address => {
    const known = addresses.get(address);
    if (known && (known.until > Date.now() || known.pending.size > 0)) return known;
    const fresh = { refused: 0, pending: new Map(), until: Date.now() + windowMs };
    remember(addresses, address, fresh, mostAddresses);
    return fresh;
  };
  const count = async (address: string, known: Address) => {
    const { totalHits, resetTime } = await store.increment(`refused ${address}`);
    Object.assign(known, { refused: totalHits, until: resetTime?.getTime() ?? known.until });
  };

  return {
    admit: async (address, credential, check) => {
      const known = enter(address);
      const { pending } = known;
      const waiting = pending.get(credential) ?? 0;
      const others = pending.size - (waiting > 0 ? 1 : 0);
      if (known.refused + others >= limit)
        throw problems.keysRefused(limit, Math.max(1, Math.ceil((known.until - Date.now()) / 1000)));
      pending.set(credential, waiting + 1);
      try {
        return await check();
      } catch (error) {
        if (isRefusal(error)) await count(address, known);
        throw error;
      } finally {
        const left = (pending.get(credential) ?? 1) - 1;
        if (left > 0) pending.set(credential, left);
        else pending.delete(credential);
      }
    },
  };
}

const isRefusal = (error: unknown) => error instanceof Problem && error.status === 401;
