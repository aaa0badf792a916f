import type { Request, Response } from 'express';
import { departureMs } from '../../core/account/open-id-connect/sign-in.ts';
import { cookieName, cookieOf } from './cookies.ts';

export interface DepartureCookie {
  write(res: Response, ticket: string): void;
  read(req: Request): string | undefined;
  /** Takes it away, too: it is good for one way back. */
  take(req: Request, res: Response): string | undefined;
}

const path = '/auth/oidc';

/** Of somebody who has gone to the identity provider, and comes back from a page of another site: Strict would not come along. */
export function departureCookie(isSecure: boolean): DepartureCookie {
  const name = cookieName('parley-departure', isSecure);
  const options = { httpOnly: true, sameSite: 'lax', secure: isSecure, path } as const;
  return {
    write: (res, ticket) => void res.cookie(name, ticket, { ...options, maxAge: departureMs }),
    read: (req) => cookieOf(req, name),
    take: (req, res) => {
      res.clearCookie(name, options);
      return cookieOf(req, name);
    },
  };
}
