import pg from 'pg';

/** All that the catalogue says of the schema `public`, as rows without ids, so that two databases of a server can be compared. */
const questions = {
  schema: `select n.nspname, pg_get_userbyid(n.nspowner) as owner, ${granted('n.nspacl', 'n', 'n.nspowner')} as granted
    from pg_namespace n where nspname in ('public', 'graphile_worker') order by 1`,
  tables: `select c.relname, c.relkind, c.relpersistence, c.reloptions, c.relrowsecurity, c.relforcerowsecurity,
      pg_get_userbyid(c.relowner) as owner, ${granted('c.relacl', 'r', 'c.relowner')} as granted
    from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p', 'v', 'm') order by 1`,
  sequences: `select c.relname, pg_get_userbyid(c.relowner) as owner, ${granted('c.relacl', 's', 'c.relowner')} as granted,
      (select to_jsonb(s) - 'seqrelid' from pg_sequence s where s.seqrelid = c.oid) as options
    from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind = 'S' order by 1`,
  columns: `select c.relname, row_number() over (partition by c.relname order by a.attnum)::integer as place, a.attname,
      format_type(a.atttypid, a.atttypmod) as type, a.attnotnull, a.attidentity, a.attgenerated, a.attcollation::regcollation::text as collation,
      pg_get_expr(d.adbin, d.adrelid) as initial,
      ${grants('a.attacl')} as granted
    from pg_class c join pg_attribute a on a.attrelid = c.oid left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and a.attnum > 0 and not a.attisdropped order by 1, 2`,
  constraints: `select conrelid::regclass::text as on, conname, contype, pg_get_constraintdef(oid) as definition, condeferrable, condeferred
    from pg_constraint where connamespace = 'public'::regnamespace order by 1, 2`,
  indexes: `select tablename, indexname, indexdef from pg_indexes where schemaname = 'public' order by 1, 2`,
  policies: `select tablename, policyname, permissive, roles::text, cmd, qual, with_check from pg_policies where schemaname = 'public' order by 1, 2`,
  triggers: `select tgrelid::regclass::text as on, tgname, pg_get_triggerdef(oid) as definition from pg_trigger
    where not tgisinternal and tgrelid in (select oid from pg_class where relnamespace = 'public'::regnamespace) order by 1, 2`,
  types: `select typname, typtype from pg_type where typnamespace = 'public'::regnamespace order by 1`,
  functions: `select p.oid::regprocedure::text as signature, pg_get_functiondef(p.oid) as definition, pg_get_userbyid(p.proowner) as owner,
      obj_description(p.oid, 'pg_proc') as comment, ${granted('p.proacl', 'f', 'p.proowner')} as granted
    from pg_proc p where p.pronamespace = 'public'::regnamespace order by 1`,
  database: `select ${granted('d.datacl', 'd', 'd.datdba')} as granted from pg_database d where datname = current_database()`,
  migrations: 'select name from migrations order by 1',
} as const;

/** Who may do what, by name, with what holds where nothing was granted. */
function granted(acl: string, kind: 'n' | 'r' | 's' | 'f' | 'd', owner: string): string {
  return grants(`coalesce(${acl}, acldefault('${kind}', ${owner}))`);
}

function grants(acl: string): string {
  const who = `case grantee when 0 then 'public' else pg_get_userbyid(grantee) end`;
  return `(select array_agg(g order by g) from (select ${who} || ' ' || privilege_type as g from aclexplode(${acl})) x)`;
}

export type Schema = Record<keyof typeof questions, unknown[]>;

export async function describeSchema(adminUrl: string): Promise<Schema> {
  const client = new pg.Client({ connectionString: adminUrl });
  await client.connect();
  try {
    const answers: [string, unknown[]][] = [];
    for (const [subject, question] of Object.entries(questions))
      answers.push([subject, (await client.query(question)).rows]);
    return Object.fromEntries(answers) as Schema;
  } finally {
    await client.end();
  }
}
