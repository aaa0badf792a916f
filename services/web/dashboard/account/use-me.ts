import { useQuery } from '@tanstack/preact-query';
import { useEffect } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { useAccount, useSignInState } from './use-account.ts';

/** Who is signed in; somebody who is not is sent to sign in, and back afterwards. */
export function useMe() {
  const { keeper, api } = useAccount();
  const { url, route } = useLocation();
  const state = useSignInState(keeper);
  const me = useQuery({ queryKey: ['me'], queryFn: api.me, enabled: state !== 'out' });
  useEffect(() => {
    if (state === 'out') route(`/sign-in${url === '/' ? '' : `?to=${encodeURIComponent(url)}`}`, true);
  }, [state, url, route]);
  return me;
}

/** Where to go on after signing in: a page of ours, whatever the address says. */
export const ownPath = (to: string | undefined): string =>
  to?.startsWith('/') && !to.startsWith('//') && !to.includes('\\') ? to : '/';
