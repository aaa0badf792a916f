import pg from 'pg';

/** All rows of a tenant, by table, as the database's owner sees them. */
export async function rowsOf(adminUrl: string, tenant: string): Promise<Record<string, unknown>> {
  const client = new pg.Client(adminUrl);
  await client.connect();
  try {
    const { rows: tables } = await client.query<{ table_name: string }>(
      "select table_name from information_schema.columns where column_name = 'tenant_id' and table_schema = 'public'",
    );
    const rows: Record<string, unknown> = {};
    for (const { table_name } of tables) {
      const text = `select to_jsonb(t)::text as row from ${pg.escapeIdentifier(table_name)} t where tenant_id = $1 order by 1`;
      rows[table_name] = (await client.query(text, [tenant])).rows;
    }
    return rows;
  } finally {
    await client.end();
  }
}
