import { locateErased } from '../../store/tables/erasures.ts';
import type { EndDeps } from './end.ts';
import { eraseSession } from './erase.ts';

/**
 * Erases again what was erased before and has come back with a backup; the records of it are in the database, where restore.sh puts those that are
 * newer than the backup. Returns how many conversations that were: none, unless one was brought back.
 */
export async function eraseAgain(deps: EndDeps): Promise<number> {
  const found = await locateErased(deps.db);
  for (const { tenant_id: tenant, session_id: session } of found)
    await eraseSession(deps, { tenant, session, by: 'restore', reason: 'operator_ended' });
  return found.length;
}
