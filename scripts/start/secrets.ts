import { randomBytes, randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Fault, storageFault, systemCode } from '../toolchain/fault.ts';

/** Made at the first start and kept: the database and the sealed credentials in it need the same ones again. */
export interface Secrets {
  databaseAdminPassword: string;
  databasePassword: string;
  roomServerKey: string;
  roomServerSecret: string;
  /** As PARLEY_MASTER_KEYS holds them. */
  masterKeys: string;
  /** As PARLEY_PEOPLE_KEYS holds them. */
  peopleKeys: string;
}

/** Throws a Fault when the file is unreadable, or is gone while the data that needs it is there. */
export async function keepSecrets(dataFolder: string): Promise<Secrets> {
  const file = join(dataFolder, 'secrets.json');
  const stored = await readSecrets(file);
  if (stored?.peopleKeys !== undefined) return { ...stored, peopleKeys: stored.peopleKeys };
  if (stored) return withPeopleKeys(file, stored);
  if (existsSync(join(dataFolder, 'postgres'))) {
    throw new Fault(
      `${file} is missing, and ${dataFolder}/postgres can't be opened without it: put it back, or move that folder away.`,
    );
  }
  const secrets = newSecrets();
  await writePrivately(file, secrets);
  return secrets;
}

const names = ['databaseAdminPassword', 'databasePassword', 'roomServerKey', 'roomServerSecret', 'masterKeys'] as const;

/** Of a start before persons could sign in. */
type Stored = Omit<Secrets, 'peopleKeys'> & Partial<Pick<Secrets, 'peopleKeys'>>;

async function withPeopleKeys(file: string, stored: Stored): Promise<Secrets> {
  const secrets = { ...stored, peopleKeys: newKeys() };
  await writePrivately(file, secrets);
  return secrets;
}

async function readSecrets(file: string): Promise<Stored | undefined> {
  try {
    const stored = JSON.parse(await readFile(file, 'utf8')) as Record<string, unknown>;
    if (names.every((name) => typeof stored[name] === 'string')) return stored as unknown as Stored;
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined;
    if (systemCode(error)) throw storageFault(error, file);
  }
  throw new Fault(
    `${file} does not hold what it should: put back a copy, or move ${file} and the postgres folder beside it away.`,
  );
}

const password = () => randomBytes(24).toString('base64url');
const newKeys = () => `k1:${randomBytes(32).toString('base64')}`;

const newSecrets = (): Secrets => ({
  databaseAdminPassword: password(),
  databasePassword: password(),
  roomServerKey: `key-${randomBytes(6).toString('hex')}`,
  roomServerSecret: randomBytes(36).toString('base64url'),
  masterKeys: newKeys(),
  peopleKeys: newKeys(),
});

/** Writes JSON that only this user can read; a reader never sees half of it. */
export async function writePrivately(file: string, content: unknown): Promise<void> {
  const draft = `${file}.${randomUUID()}`;
  try {
    await writeFile(draft, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 });
    await rename(draft, file);
  } catch (error) {
    throw storageFault(error, file);
  }
}
