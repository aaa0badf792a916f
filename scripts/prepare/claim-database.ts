import pg from 'pg';

export interface Claim {
  /** A server with other tenants' databases, as a role that may make roles and databases. */
  serverUrl: string;
  /** This tenant's database, as the role that is to own it. */
  adminUrl: string;
  /** How many connections it takes at once, whoever opens them; undefined: as many as the server. */
  connections?: number | undefined;
}

/** Makes the tenant's database and the role that owns it on a server that it shares. May run again at any time. */
export async function claimDatabase({ serverUrl, adminUrl, connections }: Claim): Promise<void> {
  const { username, password, pathname } = new URL(adminUrl);
  const [role, database] = [decodeURIComponent(username), decodeURIComponent(pathname.slice(1))];
  const client = new pg.Client({ connectionString: serverUrl, connectionTimeoutMillis: 5_000 });
  await client.connect();
  try {
    // One at a time: making a role that is just being made is an error.
    await client.query('select pg_advisory_lock(7021988)');
    const has = async (catalogue: 'pg_roles' | 'pg_database', column: string, name: string) =>
      ((await client.query(`select 1 from ${catalogue} where ${column} = $1`, [name])).rowCount ?? 0) > 0;
    const [roleId, databaseId] = [client.escapeIdentifier(role), client.escapeIdentifier(database)];
    const options = `login createrole password ${client.escapeLiteral(decodeURIComponent(password))}`;
    const verb = (await has('pg_roles', 'rolname', role)) ? 'alter' : 'create';
    await client.query(`${verb} role ${roleId} ${options}`);
    await client.query(`grant ${roleId} to current_user`);
    if (!(await has('pg_database', 'datname', database))) {
      await client.query(`create database ${databaseId} owner ${roleId}`);
      // Roles of other tenants have nothing to look for here.
      await client.query(`revoke connect on database ${databaseId} from public`);
    }
    if (connections !== undefined) await client.query(`alter database ${databaseId} connection limit ${connections}`);
  } finally {
    await client.end();
  }
}
