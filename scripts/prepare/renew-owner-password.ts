import pg from 'pg';

export interface Renewal {
  /** The database as its owner, with the password that it is to have. */
  adminUrl: string;
  /** Those that it had before, the newest first. */
  former: readonly string[];
}

/** What PostgreSQL says of a password that is not the role's (https://www.postgresql.org/docs/18/errcodes-appendix.html). */
const wrongPassword = '28P01';

/**
 * Gives the owner of the database its new password, by one that it had before. May run again at any time: who has the new one already is left
 * alone, also where an operator of databases was quicker.
 * @returns whether it was given one
 * @throws what PostgreSQL says, but for a wrong password: with none that is right, whoever connects next is told so
 */
export async function renewOwnerPassword({ adminUrl, former }: Renewal): Promise<boolean> {
  if (former.length === 0) return false;
  const right = decodeURIComponent(new URL(adminUrl).password);
  const opened = await openWith(adminUrl, [right, ...former]);
  if (!opened) return false;
  const { client, password } = opened;
  try {
    if (password === right) return false;
    await client.query(`alter role current_user password ${client.escapeLiteral(right)}`);
    return true;
  } finally {
    await client.end();
  }
}

async function openWith(adminUrl: string, passwords: readonly string[]) {
  for (const password of passwords) {
    const url = new URL(adminUrl);
    url.password = encodeURIComponent(password);
    const client = new pg.Client({ connectionString: url.href, connectionTimeoutMillis: 5_000 });
    try {
      await client.connect();
      return { client, password };
    } catch (error) {
      if (!(error instanceof pg.DatabaseError) || error.code !== wrongPassword) throw error;
    }
  }
  return undefined;
}
