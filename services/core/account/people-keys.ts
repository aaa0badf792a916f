import { createPrivateKey, createPublicKey, hkdfSync, type KeyObject } from 'node:crypto';
import { parseMasterKeys } from '../../settings/master-keys.ts';

/** What follows from one of the keys for people. */
export interface PeopleKey {
  name: string;
  /** Ed25519: signs access tokens. */
  signing: KeyObject;
  verifying: KeyObject;
  /** HMAC-SHA256: marks refresh tokens as ours. */
  refresh: Buffer;
}

export interface PeopleKeys {
  /** Signs. */
  current: PeopleKey;
  /** All of them verify. */
  byName: ReadonlyMap<string, PeopleKey>;
  /** Of the database's role for persons. */
  databasePassword: string;
}

/** DER of an Ed25519 private key in PKCS #8, up to its 32 bytes (RFC 8410, section 7). */
const ed25519Prefix = Buffer.from('302e020100300506032b657004220420', 'hex');

/** @param text as PARLEY_PEOPLE_KEYS holds them: `name:base64,name:base64`, 32 bytes each; the first signs. @throws Error for any other */
export function readPeopleKeys(text: string): PeopleKeys {
  const keys = parseMasterKeys(text);
  const all = keys.map(([name, key]) => keyOf(name, key));
  const [current] = all;
  const [, first] = keys[0] ?? [];
  if (!current || !first) throw new Error('at least one key for people is needed');
  const databasePassword = derive(first, 'database role').toString('base64url');
  return { current, byName: new Map(all.map((key) => [key.name, key])), databasePassword };
}

function keyOf(name: string, key: Buffer): PeopleKey {
  const der = Buffer.concat([ed25519Prefix, derive(key, 'access tokens')]);
  const signing = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
  return { name, signing, verifying: createPublicKey(signing), refresh: derive(key, 'refresh tokens') };
}

/** One secret, three uses that tell nothing of each other. */
const derive = (key: Buffer, use: string): Buffer =>
  Buffer.from(hkdfSync('sha256', key, Buffer.alloc(0), `parley people: ${use}`, 32));
