/** Finds literals that look like secrets: those belong into the environment, never into a repository. */
import type { Finding } from '../faults.ts';

/** Shapes that issuers give to their secrets; nothing else looks like them. */
const issued: readonly RegExp[] = [
  /\b[sr]k[-_](?:[a-z]+[-_])*[A-Za-z0-9_-]{20,}/,
  /\bgh[pousr]_[A-Za-z0-9]{30,}/,
  /\bgithub_pat_[A-Za-z0-9_]{30,}/,
  /\bxox[abprs]-[A-Za-z0-9-]{20,}/,
  /\bAKIA[0-9A-Z]{16}\b/,
  /\bAIza[A-Za-z0-9_-]{30,}/,
  /\bwhsec_[A-Za-z0-9+/=]{20,}/,
  /\beyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}/,
  /-----BEGIN [A-Z ]*PRIVATE KEY-----/,
  /\bhttps?:\/\/[^\s/:@]+:[^\s/@{]+@/,
];

/** Names of fields and headers whose values are secrets. */
const secretNames =
  /(?:^|[-_])(?:authorization|cookie|password|passwd|secret|token|credentials?)$|api[-_]?key$|[a-z](?:Secret|Token|Password|Key)$|^(?:x-)?(?:auth|access)[-_](?:key|token)$/i;

/** The key of a challenge (`0x4AAAAAAA…`, a UUID), which every page carries. */
const publicNames = /^site[-_]?key$/i;

/** Base64 or hexadecimal, long enough to be a key. */
const longCode = /^(?:(?:Bearer|Basic|Token)\s+)?[A-Za-z0-9+/_=.:-]{16,}$/i;

const advice = 'Secrets are never written in these files: put it in the environment and write {env: NAME}.';

/** Everything in a plain value that looks like a secret. */
export function findSecrets(value: unknown, path: readonly string[] = []): Finding[] {
  if (typeof value === 'string') return secretIn(value, path);
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, part]) => findSecrets(part, [...path, key]));
}

/** The first thing in a running text, such as a knowledge file, that has the shape of an issued secret. */
export const issuedSecretIn = (text: string): string | undefined =>
  issued.map((shape) => shape.exec(text)?.[0]).find((found) => found !== undefined);

function secretIn(text: string, path: readonly string[]): Finding[] {
  const found = issuedSecretIn(text);
  if (found !== undefined)
    return [{ path, within: found, rule: 'secret', message: `This looks like a secret. ${advice}` }];
  const name = path.at(-1) ?? '';
  // A reference holds the name of a variable, and the name of a variable is no secret.
  if (name === 'env' || publicNames.test(name) || !secretNames.test(name) || !longCode.test(text)) return [];
  return [{ path, rule: 'secret', message: `"${name}" looks like a secret. ${advice}` }];
}
