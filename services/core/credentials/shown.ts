/** What people see of an agent's credentials, and do with them. */
import type { CredentialsShown, KeyShown } from '../../contract/deployment-answers.ts';
import { problems } from '../../contract/problems.ts';
import { type KeyRow, listKeys, listSecrets, type SecretRow } from '../../store/tables/credentials.ts';
import { type Acting, audited } from '../account/acting.ts';
import { once } from '../account/once.ts';
import {
  type CredentialDeps,
  type Owner,
  renewKey,
  renewSecret,
  secretBytes,
  tellOfCredentials,
} from './credentials.ts';

/** So long an old key or secret may go on beside the new one: not at all, an hour, a day. */
export type GraceSeconds = 0 | 3_600 | 86_400;

const prefixLength = 10;

/** Keys and secrets that work at the moment, the current ones first. `apiKey` is in the clear, for whoever may see it. @throws Problem `agent_not_found` */
export async function shownCredentials(
  { db, vault }: Pick<CredentialDeps, 'db' | 'vault'>,
  owner: Owner,
  seesKey: boolean,
): Promise<CredentialsShown> {
  const { keys, secrets } = await db.asTenant(owner.tenant, async (tx) => ({
    keys: await listKeys(tx, owner.agent),
    secrets: await listSecrets(tx, owner.agent),
  }));
  const [current] = keys;
  if (!current) throw problems.agentNotFound(owner.agent);
  const prefixOf = ({ sealed }: SecretRow) => vault.open(sealed, { ...owner, kind: 'secret' }).slice(0, prefixLength);
  return {
    agent: owner.agent,
    ...(seesKey ? { apiKey: vault.open(current.sealed, { ...owner, kind: 'key' }) } : {}),
    keys: keys.map(toShownKey),
    secrets: secrets.map((row) => ({
      prefix: prefixOf(row),
      createdAt: row.created_at,
      expiresAt: row.expires_at,
    })),
  };
}

const toShownKey = ({ prefix, created_at, last_used_at, expires_at }: KeyRow): KeyShown => ({
  prefix,
  createdAt: created_at,
  lastUsedAt: last_used_at,
  expiresAt: expires_at,
});

interface Renewal {
  agent: string;
  graceSeconds: GraceSeconds;
}

/** A new key; every earlier one works for the grace and no longer. @throws Problem `agent_not_found`, `idempotency_key_reused` */
export async function newKeyFor(deps: CredentialDeps, acting: Acting, { agent, graceSeconds }: Renewal) {
  const owner = { tenant: acting.tenant, agent };
  const { answer } = await once(deps, acting, async (tx) => {
    const apiKey = await renewKey(tx, deps.vault, owner, graceSeconds * 1_000);
    await audited(tx, acting, { action: 'key.regenerated', target: agent, details: { graceSeconds } });
    return { agent, apiKey };
  });
  tellOfCredentials(deps.notifier, owner);
  return answer;
}

/** A new secret, which is told here and nowhere again. @throws Problem `agent_not_found`, `idempotency_key_reused` */
export async function newSecretFor(deps: CredentialDeps, acting: Acting, { agent, graceSeconds }: Renewal) {
  const owner = { tenant: acting.tenant, agent };
  const { answer } = await once(deps, acting, async (tx) => {
    const apiSecret = await renewSecret(tx, deps.vault, owner, graceSeconds * 1_000);
    await audited(tx, acting, { action: 'secret.regenerated', target: agent, details: { graceSeconds } });
    return { agent, apiSecret, signingSecret: `whsec_${secretBytes(apiSecret).toString('base64')}` };
  });
  tellOfCredentials(deps.notifier, owner);
  return answer;
}
