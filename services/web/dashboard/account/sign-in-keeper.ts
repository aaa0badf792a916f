import type { SignInShown } from '../../../contract/account-answers.ts';
import type { AsJson } from '../../../contract/answers.ts';
import { ApiProblem, type ApiRequest, answer } from '../../client/request.ts';
import { ofBrowser, storedText } from '../../client/stored.ts';

export type SignIn = AsJson<SignInShown>;

/** Whether somebody is signed in; `asking`: the cookie is being looked at. */
export type SignInState = 'asking' | 'out' | 'in';

export interface SignInKeeper {
  readonly state: SignInState;
  /** Tells of each change of `state`; gives the way to be told no more. */
  watch(listener: () => void): () => void;
  /** An access token with some life left. @throws ApiProblem `invalid_token` when the sign-in is over */
  token(): Promise<string>;
  /** The token was refused: the next one is asked for. */
  distrust(token: string): void;
  /** Signs in with one of the routes that do. @throws ApiProblem */
  signIn(path: `/auth/${'sign-in' | 'link' | 'reset-password'}` | '/invitation', body: object): Promise<void>;
  signOut(): Promise<void>;
  /** The person goes to the identity provider: the next page finds a cookie. */
  leaves(): void;
  /** They came back without one. */
  stayedAway(): void;
}

export interface KeeperDeps {
  origin: string;
  /** Remembers that there may be a cookie, which no script can see: without one nothing is asked. It is no secret. */
  hint: { read(): boolean; write(signedIn: boolean): void };
  now(): number;
}

/** So long before its end a token is not used any more: a request takes its time, and clocks are apart. */
const marginMs = 30_000;

/**
 * Keeps the access token, in this object and nowhere else: a reload asks for another one with the cookie, which only `/auth` is sent.
 */
export function keepSignIn({ origin, hint, now }: KeeperDeps): SignInKeeper {
  let state: SignInState = hint.read() ? 'asking' : 'out';
  let held: { token: string; usableUntil: number } | undefined;
  let refreshing: Promise<string> | undefined;
  const listeners = new Set<() => void>();

  const become = (next: SignInState) => {
    hint.write(next === 'in');
    if (next === 'out') held = undefined;
    if (state === next) return;
    state = next;
    for (const listener of listeners) listener();
  };
  const take = ({ accessToken, expiresInSeconds }: SignIn): string => {
    held = { token: accessToken, usableUntil: now() + expiresInSeconds * 1000 - marginMs };
    become('in');
    return accessToken;
  };
  const post = (path: string, body?: object): ApiRequest => ({
    method: 'POST',
    url: `${origin}${path}`,
    headers: body ? { 'Content-Type': 'application/json' } : {},
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  const refresh = async (): Promise<string> => {
    try {
      return take(await answer<SignIn>(post('/auth/refresh')));
    } catch (error) {
      // Without an answer nobody is signed out: the next request asks again.
      if (error instanceof ApiProblem && error.status === 401) become('out');
      throw error;
    }
  };

  return {
    get state() {
      return state;
    },
    watch: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    token: () => {
      if (held && now() < held.usableUntil) return Promise.resolve(held.token);
      refreshing ??= refresh().finally(() => {
        refreshing = undefined;
      });
      return refreshing;
    },
    distrust: (token) => {
      if (held?.token === token) held = undefined;
    },
    signIn: async (path, body) => void take(await answer<SignIn>(post(path, body))),
    signOut: async () => {
      await answer<void>(post('/auth/sign-out'));
      become('out');
    },
    leaves: () => hint.write(true),
    stayedAway: () => become('out'),
  };
}

const hint = storedText(ofBrowser, 'parley.signed-in');

/** In the browser's storage, where it may be forbidden: then one signs in again after each reload. */
export const storedHint: KeeperDeps['hint'] = {
  read: () => hint.read() !== undefined,
  write: (signedIn) => (signedIn ? hint.write('1') : hint.forget()),
};
