import pg from 'pg';
import type { Query, Queryable } from './sql.ts';

/** Waits longer than these end with an error: a database that is away must never hold a caller for ever. */
const defaultConnectTimeoutMs = 2_000;
const defaultQueryTimeoutMs = 8_000;

export interface Tx extends Queryable {
  /** Who this transaction belongs to. */
  readonly tenant: string;
}

export interface Database extends Queryable {
  /** Runs `work` in one transaction under the tenant's row-level security; commits when it resolves, rolls back when it throws. */
  asTenant<Result>(tenant: string, work: (tx: Tx) => Promise<Result>): Promise<Result>;
  /** How many connections are busy and how many callers wait for one. */
  load(): { total: number; idle: number; waiting: number };
  /** Whether something could not be stored for want of room in the last `ms`. */
  wasFullWithin(ms: number): boolean;
  close(): Promise<void>;
}

export interface DatabaseOptions {
  maxConnections?: number;
  applicationName?: string;
  /** How long a caller waits for a connection, be it a new one or one that is busy. */
  connectTimeoutMs?: number;
  queryTimeoutMs?: number;
}

const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

// Counters and sums are far below 2^53, so bigint columns are plain numbers here.
pg.types.setTypeParser(pg.types.builtins.INT8, Number);

/** Opens a pool on `url` (postgres://…). Nothing is contacted before the first query. */
export function openDatabase(
  url: string,
  {
    maxConnections = 12,
    applicationName = 'parley',
    connectTimeoutMs = defaultConnectTimeoutMs,
    queryTimeoutMs = defaultQueryTimeoutMs,
  }: DatabaseOptions = {},
): Database {
  const pool = new pg.Pool({
    connectionString: url,
    max: maxConnections,
    application_name: applicationName,
    connectionTimeoutMillis: connectTimeoutMs,
    query_timeout: queryTimeoutMs,
    statement_timeout: queryTimeoutMs,
    idle_in_transaction_session_timeout: 15_000,
    keepAlive: true,
    // A connection that died while idle is taken out of the pool by its error event; the next query opens another.
    idleTimeoutMillis: 30_000,
  });
  outliveConnections(pool);
  let fullAt = Number.NEGATIVE_INFINITY;
  const note = (error: unknown): never => {
    if (isDatabaseFull(error)) fullAt = performance.now();
    throw error;
  };
  return {
    query: (query) => run<never>(pool, query).catch(note),
    asTenant: (tenant, work) => inTransaction(pool, tenant, work).catch(note),
    wasFullWithin: (ms) => performance.now() - fullAt <= ms,
    load: () => ({ total: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount }),
    close: () => pool.end(),
  };
}

/** A connection that dies must not end the process: whoever queries next is told, or gets another one. */
export function outliveConnections(pool: pg.Pool): void {
  pool.on('error', () => undefined);
  // The pool listens to idle connections only: one that dies between two queries of a transaction would end the process.
  pool.on('connect', (client) => void client.on('error', () => undefined));
}

/** Resolves when every connection is closed. `pool.end()` alone resolves when it has begun to close them: the database is in use for a moment. */
export async function endCompletely(pool: pg.Pool): Promise<void> {
  let open = pool.totalCount;
  const closed = new Promise<void>((resolve) => {
    if (open === 0) resolve();
    pool.on('remove', () => {
      open -= 1;
      if (open === 0) resolve();
    });
  });
  await pool.end();
  await closed;
}

async function run<Row>(client: pg.Pool | pg.PoolClient, query: Query): Promise<Row[]> {
  const result = await client.query(query);
  return result.rows as Row[];
}

async function inTransaction<Result>(
  pool: pg.Pool,
  tenant: string,
  work: (tx: Tx) => Promise<Result>,
): Promise<Result> {
  if (!uuidPattern.test(tenant)) throw new Error('a transaction needs the tenant it belongs to, as a uuid');
  const client = await pool.connect();
  try {
    // One round trip for both; the id was checked to be a uuid, and SET takes no parameters.
    await client.query(`begin; set local parley.tenant = '${tenant}'`);
    const result = await work({ tenant, query: (query) => run(client, query) });
    await client.query('commit');
    client.release();
    return result;
  } catch (error) {
    await client.query('rollback').then(
      () => client.release(),
      () => client.release(true),
    );
    throw error;
  }
}

/** Whether the database had no room on its disk (53100, `disk_full`). */
export const isDatabaseFull = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === '53100';

const connectionErrors = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ENOENT',
]);
/** What the system says when one of these fails, whatever its code (a firewall's EPERM, a route's EINVAL), it says of the way to the database. */
const callsOfTheWay = new Set(['connect', 'read', 'write', 'getaddrinfo']);
/**
 * PostgreSQL's codes for what passes: connection (08), an idle transaction cut off (25P03), read-only until a promotion is over (25006),
 * a deadlock or another rollback that asks to be repeated (40), disk, memory or connections used up (53), a lock not had in time (55P03),
 * our own statement timeout (57014), shutdown (57P0x), input and output (58).
 */
const passingStates = /^(08|25006|25P03|40|53|55P03|57014|57P0[1-5]|58)/;
/** Nobody is let in by what it has (28): a password that was changed, for who still has the one of before. */
const notLetInStates = /^28/;
const unavailableTexts =
  /Connection terminated|Query read timeout|timeout exceeded when trying to connect|timeout expired|not queryable|Cannot use a pool/;

const codeOf = (error: Error): string => ('code' in error && typeof error.code === 'string' ? error.code : '');

/** Whether the database does not let us in, as with a password that is wrong or was changed. */
export const isNotLetIn = (error: unknown): boolean => error instanceof Error && notLetInStates.test(codeOf(error));

/**
 * Whether the same may work later: the database could not be reached, let nobody in, or had neither room nor time. False when it refused
 * what was asked, which it would do again.
 */
export function isDatabaseUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = codeOf(error);
  const call = 'syscall' in error && typeof error.syscall === 'string' ? error.syscall : '';
  return (
    callsOfTheWay.has(call) ||
    connectionErrors.has(code) ||
    passingStates.test(code) ||
    notLetInStates.test(code) ||
    unavailableTexts.test(error.message)
  );
}
