import { bestEffort } from '../../process/best-effort.ts';
import type { Database } from '../../store/database.ts';
import { channels, type Notifier } from '../../store/notify.ts';
import { recordEvent } from '../../store/tables/events.ts';
import { locateOverCaps, markLimitReached, type OverCap } from '../../store/tables/sessions.ts';

/** So many sessions a look: those that are left come with the next. */
const batch = 500;

/**
 * Looks for running sessions whose visitor, agent or tenant has used up its minutes or tokens. Their hosts tell the person and end them
 * (`tenant_limit`); those whose host does not are ended by the reaper (`deadline.ts`). Hosts are told at every look, since a notice may be
 * lost; a session that somebody is at is left for the next one. Returns how many were found for the first time.
 */
export async function tellOfReachedCaps(deps: { db: Database; notifier: Notifier }): Promise<number> {
  const over = await locateOverCaps(deps.db, batch);
  let found = 0;
  for (const one of over) {
    if (one.is_new && (await bestEffort('the next look finds it again', mark(deps.db, one)))) found += 1;
    deps.notifier.tell(channels.session, `limit ${one.session_id}`);
  }
  return found;
}

const mark = (db: Database, { session_id: session, tenant_id: tenant }: OverCap): Promise<boolean> =>
  db.asTenant(tenant, async (tx) => {
    const at = await markLimitReached(tx, session);
    if (at) await recordEvent(tx, { tenant, session, at, kind: 'limit_reached', source: 'worker' });
    return at !== undefined;
  });
