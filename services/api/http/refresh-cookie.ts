import type { Request, Response } from 'express';
import { refreshMs } from '../../core/account/sign-in.ts';

export interface RefreshCookie {
  read(req: Request): string | undefined;
  write(res: Response, token: string): void;
  clear(res: Response): void;
}

const path = '/auth';

/** @param isSecure only over HTTPS; on a developer's machine there is none */
export function refreshCookie(isSecure: boolean): RefreshCookie {
  // The prefix keeps pages without HTTPS, of this name or a neighbour's, from setting one of their own (RFC 6265bis, 4.1.3).
  const name = isSecure ? '__Secure-parley-refresh' : 'parley-refresh';
  const options = { httpOnly: true, sameSite: 'strict', secure: isSecure, path } as const;
  return {
    read: (req) => cookieIn(req.headers.cookie ?? '', name),
    write: (res, token) => void res.cookie(name, token, { ...options, maxAge: refreshMs }),
    clear: (res) => void res.clearCookie(name, options),
  };
}

function cookieIn(header: string, name: string): string | undefined {
  const pairs = header.split(';').map((pair) => pair.trim());
  return pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1);
}
