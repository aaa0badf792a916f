import { type Queryable, sql } from '../sql.ts';

export interface KeyRow {
  key_hash: Buffer;
  prefix: string;
  sealed: string;
  created_at: Date;
  expires_at: Date | null;
  last_used_at: Date | null;
}

export interface SecretRow {
  id: number;
  sealed: string;
  created_at: Date;
  expires_at: Date | null;
}

export const insertKey = (
  q: Queryable,
  tenant: string,
  agent: string,
  key: { hash: Buffer; prefix: string; sealed: string },
) =>
  q.query(sql`
    insert into agent_keys (key_hash, tenant_id, agent, prefix, sealed) values (${key.hash}, ${tenant}, ${agent}, ${key.prefix}, ${key.sealed})`);

/** Newest first; the first without an expiry is the current one. */
export const listKeys = (q: Queryable, agent: string) =>
  q.query<KeyRow>(sql`
    select key_hash, prefix, sealed, created_at, expires_at, last_used_at from agent_keys
    where agent = ${agent} and (expires_at is null or expires_at > now()) order by created_at desc`);

/** Those among these agents that nobody can reach: they have no key that holds. */
export const listAgentsWithoutKey = (q: Queryable, agents: readonly string[]) =>
  q.query<{ agent: string }>(sql`
    select n.agent from unnest(${agents}::text[]) as n (agent)
    where not exists (
      select 1 from agent_keys k where k.agent = n.agent and (k.expires_at is null or k.expires_at > now()))`);

export const expireKeys = (q: Queryable, agent: string, graceMs: number) =>
  q.query(sql`
    update agent_keys set expires_at = clock_timestamp() + ${graceMs} * interval '1 millisecond'
    where agent = ${agent} and (expires_at is null or expires_at > clock_timestamp() + ${graceMs} * interval '1 millisecond')`);

export const touchKey = (q: Queryable, keyHash: Buffer) =>
  q.query(sql`update agent_keys set last_used_at = now() where key_hash = ${keyHash}`);

export const insertSecret = (q: Queryable, tenant: string, agent: string, sealed: string) =>
  q.query(sql`insert into agent_secrets (tenant_id, agent, sealed) values (${tenant}, ${agent}, ${sealed})`);

/** Newest first: the first signs; the others sign beside it until they expire. */
export const listSecrets = (q: Queryable, agent: string) =>
  q.query<SecretRow>(sql`
    select id, sealed, created_at, expires_at from agent_secrets
    where agent = ${agent} and (expires_at is null or expires_at > now()) order by id desc`);

export const expireSecrets = (q: Queryable, agent: string, graceMs: number) =>
  q.query(sql`
    update agent_secrets set expires_at = clock_timestamp() + ${graceMs} * interval '1 millisecond'
    where agent = ${agent} and (expires_at is null or expires_at > clock_timestamp() + ${graceMs} * interval '1 millisecond')`);
