import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto';
import { parseMasterKeys } from '../../settings/master-keys.ts';

/** What a ciphertext belongs to; it opens for nothing else. */
export type SealedFor =
  | { tenant: string; agent: string; kind: 'key' | 'secret' }
  /** By its id. */
  | { tenant: string; invitation: string }
  /** The answer to a person's request, by its scope. */
  | { tenant: string; accountRequest: string }
  /** A telephone number, as a call named it. */
  | { tenant: string; call: string; side: 'from' | 'to' }
  /** A telephone number that must not be called, by its hash. */
  | { tenant: string; optOut: string }
  /** A line of a file of what hosts owe the database, by the file's name. */
  | { owedIn: string; line: number };

export interface Vault {
  seal(plain: string, belongsTo: SealedFor): string;
  /** @throws when the master key is not there any more or the text was tampered with. */
  open(sealed: string, belongsTo: SealedFor): string;
  /**
   * A telephone number as it may be looked up by, one hash under each master key, the current one first: what is stored has the first, what is
   * searched for may have any. Nobody without a key can try numbers out, and no two tenants have the same hash of one.
   */
  hashesOfNumber(number: string, tenant: string): [Buffer, ...Buffer[]];
}

/**
 * AES-256-GCM under master keys that have names, so that they can be rotated: the first seals, all open.
 * `masterKeys` is `name:base64,name:base64`, 32 bytes each. A sealed text is `name.iv.ciphertext.tag`.
 */
export function makeVault(masterKeys: string): Vault {
  const keys = parseMasterKeys(masterKeys);
  const [current] = keys;
  if (!current) throw new Error('at least one master key is needed');
  const numberKeys = keys.map(([, key]) => numberKeyOf(key));
  return {
    seal: (plain, belongsTo) => {
      const [name, key] = current;
      const iv = randomBytes(12);
      const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(associated(belongsTo));
      const text = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()]);
      return [name, ...[iv, text, cipher.getAuthTag()].map((part) => part.toString('base64url'))].join('.');
    },
    open: (sealed, belongsTo) => {
      const [name, ...parts] = sealed.split('.');
      const key = keys.find(([known]) => known === name)?.[1];
      if (!key) throw new Error(`the master key "${name}" that sealed this is not configured`);
      const [iv, text, tag] = parts.map((part) => Buffer.from(part, 'base64url'));
      if (!iv || !text || tag?.length !== 16) throw new Error('this is not a sealed text');
      const decipher = createDecipheriv('aes-256-gcm', key, iv).setAAD(associated(belongsTo)).setAuthTag(tag);
      return Buffer.concat([decipher.update(text), decipher.final()]).toString('utf8');
    },
    hashesOfNumber: (number, tenant) => {
      const hashes = numberKeys.map((key) => createHmac('sha256', key).update(`${tenant}/${number}`).digest());
      return hashes as [Buffer, ...Buffer[]];
    },
  };
}

/** A key of its own for each use: what a hash tells says nothing of what is sealed. */
const numberKeyOf = (masterKey: Buffer) => Buffer.from(hkdfSync('sha256', masterKey, '', 'telephone numbers', 32));

const associated = (it: SealedFor) => Buffer.from(nameOf(it));

function nameOf(it: SealedFor): string {
  if ('owedIn' in it) return `${it.owedIn}/${it.line}/owed`;
  if ('accountRequest' in it) return `${it.tenant}/${it.accountRequest}/account request`;
  if ('call' in it) return `${it.tenant}/${it.call}/${it.side}/call`;
  if ('optOut' in it) return `${it.tenant}/${it.optOut}/opt-out`;
  if ('invitation' in it) return `${it.tenant}/${it.invitation}/invitation`;
  return `${it.tenant}/${it.agent}/${it.kind}`;
}
