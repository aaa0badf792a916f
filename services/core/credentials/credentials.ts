import { randomBytes } from 'node:crypto';
import { problems } from '../../contract/problems.ts';
import type { Database } from '../../store/database.ts';
import { channels, type Notifier } from '../../store/notify.ts';
import type { Queryable } from '../../store/sql.ts';
import { lockAgent } from '../../store/tables/agents.ts';
import {
  expireKeys,
  expireSecrets,
  insertKey,
  insertSecret,
  listKeys,
  listSecrets,
} from '../../store/tables/credentials.ts';
import { sha256 } from '../sessions/ids.ts';
import type { Vault } from './vault.ts';

export interface Credentials {
  apiKey: string;
  apiSecret: string;
}

export interface Owner {
  tenant: string;
  agent: string;
}

export const keyPattern = /^pk_[A-Za-z0-9_-]{43}$/;

const token = (prefix: 'pk' | 'sk') => `${prefix}_${randomBytes(32).toString('base64url')}`;

export const hashKey = (key: string): Buffer => sha256(key);

/** A new key and secret, in the transaction that makes the agent live. */
export async function issueCredentials(tx: Queryable, vault: Vault, owner: Owner): Promise<Credentials> {
  const credentials = { apiKey: token('pk'), apiSecret: token('sk') };
  await storeKey(tx, vault, owner, credentials.apiKey);
  await storeSecret(tx, vault, owner, credentials.apiSecret);
  return credentials;
}

const storeKey = (tx: Queryable, vault: Vault, { tenant, agent }: Owner, key: string) =>
  insertKey(tx, tenant, agent, {
    hash: hashKey(key),
    prefix: key.slice(0, 10),
    sealed: vault.seal(key, { tenant, agent, kind: 'key' }),
  });

const storeSecret = (tx: Queryable, vault: Vault, { tenant, agent }: Owner, secret: string) =>
  insertSecret(tx, tenant, agent, vault.seal(secret, { tenant, agent, kind: 'secret' }));

export interface CredentialDeps {
  db: Database;
  vault: Vault;
  notifier: Notifier;
}

/** The current key and secret in the clear: for the operator's command, never for a route. @throws Problem `agent_not_found` */
export async function revealCredentials(
  { db, vault }: Pick<CredentialDeps, 'db' | 'vault'>,
  owner: Owner,
): Promise<Credentials> {
  return db.asTenant(owner.tenant, async (tx) => {
    const [key] = await listKeys(tx, owner.agent);
    const [secret] = await listSecrets(tx, owner.agent);
    if (!key || !secret) throw problems.agentNotFound(owner.agent);
    return {
      apiKey: vault.open(key.sealed, { ...owner, kind: 'key' }),
      apiSecret: vault.open(secret.sealed, { ...owner, kind: 'secret' }),
    };
  });
}

/** Secrets that sign at the moment, the current one first; after a regeneration the old one signs beside it for its grace. */
export async function signingSecrets(
  { db, vault }: Pick<CredentialDeps, 'db' | 'vault'>,
  owner: Owner,
): Promise<string[]> {
  const rows = await db.asTenant(owner.tenant, (tx) => listSecrets(tx, owner.agent));
  return rows.map((row) => vault.open(row.sealed, { ...owner, kind: 'secret' }));
}

/** A new key; the old one works for `graceMs` more. With 0 every replica refuses it within a second. @throws Problem `agent_not_found` */
export async function regenerateKey(deps: CredentialDeps, owner: Owner, graceMs: number): Promise<string> {
  const apiKey = await deps.db.asTenant(owner.tenant, (tx) => renewKey(tx, deps.vault, owner, graceMs));
  tellOfCredentials(deps.notifier, owner);
  return apiKey;
}

/** As `regenerateKey`, in a transaction of the caller's; who commits it tells of it with `tellOfCredentials`. */
export async function renewKey(tx: Queryable, vault: Vault, owner: Owner, graceMs: number): Promise<string> {
  const apiKey = token('pk');
  // Of two at once the later one ends the earlier one's key, too.
  if (!(await lockAgent(tx, owner.agent))) throw problems.agentNotFound(owner.agent);
  await expireKeys(tx, owner.agent, graceMs);
  await storeKey(tx, vault, owner, apiKey);
  return apiKey;
}

/** A new secret; deliveries carry both signatures for `graceMs`. @throws Problem `agent_not_found` */
export async function regenerateSecret(deps: CredentialDeps, owner: Owner, graceMs: number): Promise<string> {
  const apiSecret = await deps.db.asTenant(owner.tenant, (tx) => renewSecret(tx, deps.vault, owner, graceMs));
  tellOfCredentials(deps.notifier, owner);
  return apiSecret;
}

/** As `regenerateSecret`, in a transaction of the caller's; who commits it tells of it with `tellOfCredentials`. */
export async function renewSecret(tx: Queryable, vault: Vault, owner: Owner, graceMs: number): Promise<string> {
  const apiSecret = token('sk');
  if (!(await lockAgent(tx, owner.agent))) throw problems.agentNotFound(owner.agent);
  await expireSecrets(tx, owner.agent, graceMs);
  await storeSecret(tx, vault, owner, apiSecret);
  return apiSecret;
}

/** Lets the caches of all processes follow. */
export const tellOfCredentials = (notifier: Notifier, { tenant, agent }: Owner): void =>
  notifier.tell(channels.agents, `${tenant} ${agent}`);

/** The 32 bytes behind `sk_`: what signs. */
export const secretBytes = (secret: string): Buffer => Buffer.from(secret.slice(3), 'base64url');
