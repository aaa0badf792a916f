import type { Request } from 'express';

/** What the browser has under this name; undefined for nothing. */
export function cookieOf(req: Request, name: string): string | undefined {
  const pairs = (req.headers.cookie ?? '').split(';').map((pair) => pair.trim());
  return pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1);
}

/** With a prefix that keeps pages without HTTPS, of this name or a neighbour's, from setting one of their own (RFC 6265bis, 4.1.3). */
export const cookieName = (name: string, isSecure: boolean): string => (isSecure ? `__Secure-${name}` : name);
