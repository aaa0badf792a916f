import { bestEffort } from '../../process/best-effort.ts';
import type { Database } from '../../store/database.ts';
import { deleteUnreadable, upsertUnreadable } from '../../store/tables/agent-sources.ts';
import { storable } from '../../store/text.ts';
import { ownerOf } from './owner.ts';

export interface Readability {
  /** The source was read. */
  read(): Promise<void>;
  /** It could not be, and not for want of the database. */
  failed(error: unknown): void;
}

/** Of what git says, its last words are among the first. */
const mostCharacters = 500;

/** Notes, for people to see, whether a source of agents can be read. What a worker that is gone has noted goes at the next look of another. */
export function noteReadability(
  db: Database,
  { tenant: slug, source }: { tenant: string; source: string },
): Readability {
  let noting: Promise<unknown> = Promise.resolve();
  const note = async (error: unknown) => {
    const { tenant } = await ownerOf(db, slug);
    const reason = storable(error instanceof Error ? error.message : String(error)).slice(0, mostCharacters);
    await db.asTenant(tenant, (tx) => upsertUnreadable(tx, tenant, { source, reason }));
  };
  return {
    read: async () => {
      await noting;
      const { tenant } = await ownerOf(db, slug);
      await db.asTenant(tenant, deleteUnreadable);
    },
    failed: (error) => {
      noting = bestEffort('the next look that fails notes it', note(error));
    },
  };
}
