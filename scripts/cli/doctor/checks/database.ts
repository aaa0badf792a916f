/** The database as the services see it: how fast it answers, and whether its schema is this code's. */
import { readdir } from 'node:fs/promises';
import pg from 'pg';
import { bestEffort } from '../../../../services/process/best-effort.ts';
import { readFunctions, readRelease } from '../../../../services/store/migrate/function-files.ts';
import { type Finding, failed, ok, reason, warning } from './finding.ts';

const samples = 9;
const slowMs = 20;
const migrations = new URL('../../../../services/store/migrations/', import.meta.url);
const functions = new URL('../../../../services/store/functions/', import.meta.url);
const todo = 'Roll out again: the job "prepare" of a stack, or "npm start", brings it to this version.';

export async function checkDatabase(url: string): Promise<Finding[]> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000, query_timeout: 5_000 });
  try {
    await client.connect();
    return [await latency(client), await schema(client)];
  } catch (error) {
    const todo = 'Is it running, is the address right, and may this machine reach it?';
    return [failed('database', `It can't be asked (${reason(error)}).`, todo)];
  } finally {
    await bestEffort('it may never have been connected', client.end());
  }
}

async function latency(client: pg.Client): Promise<Finding> {
  const times: number[] = [];
  for (let i = 0; i < samples; i += 1) {
    const began = performance.now();
    await client.query('select 1');
    times.push(performance.now() - began);
  }
  const medianMs = times.sort((a, b) => a - b)[Math.floor(samples / 2)] ?? 0;
  return latencyFinding(medianMs);
}

export function latencyFinding(medianMs: number): Finding {
  const says = `It answers within ${medianMs.toFixed(1)} ms.`;
  if (medianMs <= slowMs) return ok('database', says);
  const todo = 'Asked from another network that may be the way; else see docs/runbooks/ParleyWaitsForDatabase.md.';
  return warning('database', says, todo);
}

async function schema(client: pg.Client): Promise<Finding> {
  const wanted = (await readdir(migrations)).filter((name) => name.endsWith('.sql'));
  const found = await bestEffort('the finding says so', client.query<{ name: string }>('select name from migrations'));
  if (!found) return failed('schema', 'It has no schema of ours, or this role may not see it.', todo);
  const known = new Set(found.rows.map(({ name }) => name));
  const missing = wanted.filter((name) => !known.has(name));
  if (missing.length > 0) return failed('schema', `It lacks ${missing.join(', ')}.`, todo);
  return schemaFunctions(client);
}

/** Those of a newer release do what this one asks of them. */
async function schemaFunctions(client: pg.Client): Promise<Finding> {
  const [wanted, release] = await Promise.all([readFunctions(functions), readRelease(functions)]);
  const asked = client.query<StoredFunction>('select signature, hash, release from functions');
  const found = await bestEffort('without the table all of them are missing', asked);
  const stored = new Map((found?.rows ?? []).map((row) => [row.signature, row]));
  const newest = Math.max(0, ...(found?.rows ?? []).map((row) => row.release));
  if (newest > release) return ok('schema', `It is the one of a newer release (${newest}; this is ${release}).`);
  const others = wanted.filter(({ signature, hash }) => stored.get(signature)?.hash !== hash);
  if (others.length === 0) return ok('schema', 'It is the one of this version.');
  return failed('schema', `It lacks functions of this version: ${others.map(({ path }) => path).join(', ')}.`, todo);
}

interface StoredFunction {
  signature: string;
  hash: string;
  release: number;
}
