/**
 * The least that any design of `POST /api/sessions` needs: Express, the key looked up (known keys kept for 500 ms, as ours
 * are), one row inserted, a token signed. No limits, no checks, no logs, no agent. Run by the benchmark as a process.
 */
import { createHash, randomBytes } from 'node:crypto';
import express from 'express';
import { AccessToken } from 'livekit-server-sdk';
import pg from 'pg';
import { serve } from '../remote.ts';

export interface LeastApi {
  databaseUrl: string;
  apiKey: string;
  roomKey: string;
  roomSecret: string;
  roomUrl: string;
}

const freshMs = 500;

async function listen(options: LeastApi): Promise<{ port: number }> {
  const pool = new pg.Pool({ connectionString: options.databaseUrl, max: 12 });
  await pool.query('create table if not exists least_keys (hash bytea primary key, owner text not null)');
  await pool.query(
    'create table if not exists least_sessions (id text primary key, owner text not null, room text not null, created_at timestamptz not null default now())',
  );
  await pool.query('insert into least_keys values ($1, $2) on conflict do nothing', [hashOf(options.apiKey), 'bench']);
  const findOwner = cachedOwners(pool);
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.post('/api/sessions', express.json(), async (req, res) => {
    const owner = await findOwner((req.headers.authorization ?? '').slice('Bearer '.length));
    if (owner === undefined) return void res.status(401).json({ message: 'unknown key' });
    const session = { id: randomBytes(16).toString('base64url'), room: randomBytes(16).toString('base64url') };
    await pool.query({
      name: 'insert',
      text: 'insert into least_sessions (id, owner, room) values ($1, $2, $3)',
      values: [session.id, owner, session.room],
    });
    const token = new AccessToken(options.roomKey, options.roomSecret, { identity: 'person', ttl: 600 });
    token.addGrant({ roomJoin: true, room: session.room });
    res.json({ sessionId: session.id, wsUrl: options.roomUrl, token: await token.toJwt() });
  });
  const server = app.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const address = server.address();
  return { port: typeof address === 'object' && address ? address.port : 0 };
}

const hashOf = (key: string) => createHash('sha256').update(key).digest();

function cachedOwners(pool: pg.Pool): (key: string) => Promise<string | undefined> {
  const known = new Map<string, { at: number; owner: Promise<string | undefined> }>();
  const look = async (key: string) =>
    (await pool.query<{ owner: string }>('select owner from least_keys where hash = $1', [hashOf(key)])).rows[0]?.owner;
  return (key) => {
    const entry = known.get(key);
    if (entry && performance.now() - entry.at < freshMs) return entry.owner;
    const owner = look(key);
    known.set(key, { at: performance.now(), owner });
    return owner;
  };
}

export const commands = { listen };

serve(commands);
