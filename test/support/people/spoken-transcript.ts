import { sql } from '../../../services/store/sql.ts';
import { eventually } from '../eventually.ts';
import type { World } from '../world/world.ts';

export interface SpokenLine {
  role: string;
  content: string;
  mode: string;
  interrupted: boolean;
}

/** The transcript of a session, once it has `count` lines. */
export const spokenTranscript = ({ admin }: World, sessionId: string, count: number): Promise<SpokenLine[]> =>
  eventually(`the transcript has ${count} lines`, async () => {
    const lines = await admin.query<SpokenLine>(
      sql`select role, content, mode, interrupted from messages where session_id = ${sessionId} order by sequence`,
    );
    return lines.length >= count && lines;
  });

/** Who said it, how, and what. */
export const lineOf = ({ role, content, mode }: SpokenLine): string => `${role} ${mode}: ${content}`;
