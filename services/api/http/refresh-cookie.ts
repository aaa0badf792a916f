import type { Request, Response } from 'express';
import { refreshMs } from '../../core/account/sign-in.ts';
import { cookieName, cookieOf } from './cookies.ts';

export interface RefreshCookie {
  read(req: Request): string | undefined;
  write(res: Response, token: string): void;
  clear(res: Response): void;
}

const path = '/auth';

/** @param isSecure only over HTTPS; on a developer's machine there is none */
export function refreshCookie(isSecure: boolean): RefreshCookie {
  const name = cookieName('parley-refresh', isSecure);
  const options = { httpOnly: true, sameSite: 'strict', secure: isSecure, path } as const;
  return {
    read: (req) => cookieOf(req, name),
    write: (res, token) => void res.cookie(name, token, { ...options, maxAge: refreshMs }),
    clear: (res) => void res.clearCookie(name, options),
  };
}
