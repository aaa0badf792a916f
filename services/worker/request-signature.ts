/** Whether a request comes from who knows the secret. */
import { createHash, createHmac, type Hmac, timingSafeEqual } from 'node:crypto';

export type Headers = Readonly<Record<string, string | readonly string[] | undefined>>;

export interface SignatureCheck {
  /** The body's next bytes, as they came. */
  add(chunk: Buffer): void;
  holds(): boolean;
}

/**
 * How this request proves itself, by the header that its Git host sends; undefined when none is there.
 * GitHub `X-Hub-Signature-256: sha256=<hex>`, Gitea and Forgejo `X-Gitea-Signature: <hex>` (HMAC-SHA256 of the body), GitLab
 * `X-Gitlab-Token: <the secret itself>`.
 */
export function signatureCheckFor(headers: Headers, secret: string): SignatureCheck | undefined {
  const github = oneOf(headers, 'x-hub-signature-256');
  if (github !== undefined) return bySignature(github.replace(/^sha256=/, ''), secret);
  const gitea = oneOf(headers, 'x-gitea-signature');
  if (gitea !== undefined) return bySignature(gitea, secret);
  const gitlab = oneOf(headers, 'x-gitlab-token');
  if (gitlab !== undefined) return { add: () => undefined, holds: () => isSame(gitlab, secret) };
  return undefined;
}

function oneOf(headers: Headers, name: string): string | undefined {
  const value = headers[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function bySignature(given: string, secret: string): SignatureCheck {
  const hmac: Hmac = createHmac('sha256', secret);
  return { add: (chunk) => void hmac.update(chunk), holds: () => isSame(given.toLowerCase(), hmac.digest('hex')) };
}

/** In constant time, whatever the lengths. */
const isSame = (a: string, b: string): boolean => timingSafeEqual(digest(a), digest(b));
const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
