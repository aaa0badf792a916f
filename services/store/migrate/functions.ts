import type pg from 'pg';
import { readFunctions, readRelease, type SqlFunction } from './function-files.ts';
import { orNothing } from './or-nothing.ts';
import { type Roles, withRoles } from './roles.ts';

/** `newer`: those of a newer release are in the database, and stay. */
export type FunctionsState = 'applied' | 'current' | 'newer';

interface KnownFunction {
  signature: string;
  hash: string;
  release: number;
}

/**
 * Brings the functions of the database to those of the folder, all in one transaction: what changed is applied again, what has no
 * file any more is dropped. Functions of a newer release stay as they are (docs/decisions/0017-functions-only-go-forward.md).
 * @throws Error when the newer release has dropped one that this one calls
 */
export async function applyFunctions(client: pg.Client, folder: URL, roles: Roles): Promise<FunctionsState> {
  const [wanted, release] = await Promise.all([readFunctions(folder), readRelease(folder)]);
  const known = await readKnown(client, roles);
  const stored = Math.max(0, ...known.map((one) => one.release));
  if (stored > release) {
    await refuseMissing(client, wanted, { stored, release });
    return 'newer';
  }
  const hashes = new Map(known.map(({ signature, hash }) => [signature, hash]));
  const changed = wanted.filter(({ signature, hash }) => hashes.get(signature) !== hash);
  const signatures = new Set(wanted.map(({ signature }) => signature));
  const gone = known.filter(({ signature }) => !signatures.has(signature));
  if (changed.length + gone.length === 0 && stored === release) return 'current';
  await orNothing(client, 'The change of functions', async () => {
    for (const { signature } of gone) await drop(client, signature);
    for (const one of changed) await apply(client, one, roles);
    await client.query('update functions set release = $1', [release]);
    for (const one of changed) await remember(client, one, release);
  });
  return 'applied';
}

async function readKnown(client: pg.Client, { service }: Roles): Promise<KnownFunction[]> {
  await client.query(`create table if not exists functions (
    signature text primary key, hash text not null, release integer not null, at timestamptz not null default now())`);
  await client.query(`grant select on functions to ${client.escapeIdentifier(service)}`);
  return (await client.query<KnownFunction>('select signature, hash, release from functions')).rows;
}

async function apply(client: pg.Client, { path, text, signature, comment }: SqlFunction, roles: Roles): Promise<void> {
  try {
    // The order of files is none: a body may name a function that comes later.
    await client.query('set local check_function_bodies = off');
    await client.query(withRoles(client, text, roles));
    await client.query(`comment on function ${signature} is ${client.escapeLiteral(comment)}`);
  } catch (error) {
    if (error instanceof Error) error.message = `${path}: ${error.message}`;
    throw error;
  }
}

async function drop(client: pg.Client, signature: string): Promise<void> {
  await client.query(`drop function if exists ${signature}`);
  await client.query('delete from functions where signature = $1', [signature]);
}

const remember = (client: pg.Client, { signature, hash }: SqlFunction, release: number) =>
  client.query(
    `insert into functions values ($1, $2, $3)
      on conflict (signature) do update set hash = excluded.hash, release = excluded.release, at = excluded.at`,
    [signature, hash, release],
  );

async function refuseMissing(
  client: pg.Client,
  wanted: readonly SqlFunction[],
  { stored, release }: { stored: number; release: number },
): Promise<void> {
  const { rows } = await client.query<{ signature: string }>(
    'select signature from unnest($1::text[]) as w (signature) where to_regprocedure(signature) is null',
    [wanted.filter(({ isKept }) => !isKept).map(({ signature }) => signature)],
  );
  if (rows.length === 0) return;
  const missing = rows.map(({ signature }) => signature).join(', ');
  throw new Error(
    `The database has the functions of release ${stored}, which are too new for this one, release ${release}: ${missing} went since. ` +
      `Start a release between the two, which still works with them`,
  );
}
