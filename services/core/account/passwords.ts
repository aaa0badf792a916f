import { argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import pLimit from 'p-limit';

const derive = promisify(argon2);

/** OWASP's second recommendation for argon2id: 19 MiB, two passes, one lane (Password Storage Cheat Sheet, the page of 2025). */
const current = { memory: 19_456, passes: 2, parallelism: 1 };
const saltBytes = 16;
const hashBytes = 32;
/** Two threads of libuv's four stay for files and names; what waits holds no memory. */
const atATime = pLimit(2);

interface Parameters {
  memory: number;
  passes: number;
  parallelism: number;
}

const form = /^\$argon2id\$v=19\$m=(\d{1,7}),t=(\d{1,3}),p=(\d{1,2})\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/;

/** The password as it is stored, in the form in which other implementations of argon2 write it. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(saltBytes);
  const hash = await run(password, salt, current);
  const { memory, passes, parallelism } = current;
  return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${unpadded(salt)}$${unpadded(hash)}`;
}

/** Whether it is this password. Where there is none it takes as long, and says no. */
export async function isPassword(password: string, stored: string | null): Promise<boolean> {
  const parts = form.exec(stored ?? '');
  if (!parts) {
    await run(password, Buffer.alloc(saltBytes), current);
    return false;
  }
  const [, memory, passes, parallelism, salt = '', hash = ''] = parts;
  const parameters = { memory: Number(memory), passes: Number(passes), parallelism: Number(parallelism) };
  const expected = Buffer.from(hash, 'base64');
  const given = await run(password, Buffer.from(salt, 'base64'), parameters);
  return expected.length === given.length && timingSafeEqual(expected, given);
}

/** The same letters may be typed as different characters: NFKC makes them equal (NIST SP 800-63B-4, 3.1.1.2). */
const run = (password: string, salt: Buffer, parameters: Parameters): Promise<Buffer> =>
  atATime(() =>
    derive('argon2id', { message: password.normalize('NFKC'), nonce: salt, tagLength: hashBytes, ...parameters }),
  );

const unpadded = (bytes: Buffer): string => bytes.toString('base64').replaceAll('=', '');
