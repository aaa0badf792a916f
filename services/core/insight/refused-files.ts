import type { RefusedFiles } from '../../contract/answers.ts';
import type { Database } from '../../store/database.ts';
import { listShownRevisions } from '../agents/list-revisions.ts';

/** Why a tenant's files as they are now are not live; null when they are. */
export async function readRefusedFiles(db: Database, tenant: string): Promise<RefusedFiles | null> {
  const [newest] = (await listShownRevisions(db, tenant, { limit: 1 })).items;
  return newest?.state === 'refused' ? { reasons: newest.reasons, reasonsLeftOut: newest.reasonsLeftOut } : null;
}
