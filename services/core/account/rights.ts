import type { Role } from '../../contract/roles.ts';
import { remember } from '../../process/remember.ts';
import type { Queryable } from '../../store/sql.ts';
import { listMyTenants } from '../../store/tables/memberships.ts';
import { lasts } from '../../store/tables/sign-ins.ts';
import type { Caller } from './access-token.ts';

/** What somebody who has signed in may do, as it is now (at most 5 s ago). */
export interface Rights {
  /** By tenant. */
  roles: ReadonlyMap<string, Role>;
}

export interface RightsCache {
  /** Undefined when the sign-in has ended. */
  of(caller: Caller): Promise<Rights | undefined>;
}

/** So long a sign-out, a removal or another role may go unnoticed by a replica. */
const freshMs = 5_000;
const mostKnown = 10_000;

export function rightsCache(people: Queryable): RightsCache {
  const known = new Map<string, { at: number; rights: Promise<Rights | undefined> }>();
  const ask = (caller: Caller, at: number) => {
    const rights = readRights(people, caller);
    remember(known, caller.signIn, { at, rights }, mostKnown);
    // A failed look is none: the next request asks again.
    rights.catch(() => known.delete(caller.signIn));
    return rights;
  };
  return {
    of: (caller) => {
      const now = performance.now();
      const entry = known.get(caller.signIn);
      return entry && now - entry.at < freshMs ? entry.rights : ask(caller, now);
    },
  };
}

async function readRights(people: Queryable, caller: Caller): Promise<Rights | undefined> {
  if (!(await lasts(people, caller))) return undefined;
  const rows = await listMyTenants(people, caller.person);
  return { roles: new Map(rows.map(({ tenant_id, role }) => [tenant_id, role])) };
}
