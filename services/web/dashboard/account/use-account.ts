import { QueryClient } from '@tanstack/preact-query';
import { createContext } from 'preact';
import { useContext, useEffect, useState } from 'preact/hooks';
import { ApiProblem } from '../../client/request.ts';
import type { AccountApi, Me, Tenancy } from './account-api.ts';
import type { SignInKeeper, SignInState } from './sign-in-keeper.ts';

export interface Account {
  keeper: SignInKeeper;
  api: AccountApi;
}

const nobody = undefined as unknown as Account;
export const AccountContext = createContext<Account>(nobody);
export const useAccount = (): Account => useContext(AccountContext);

/** Where in the dashboard the person is: a tenant, and what they are in it. */
export interface Here {
  me: Me;
  tenancy: Tenancy;
}

export const HereContext = createContext<Here>(undefined as unknown as Here);
/** For pages of a tenant. */
export const useHere = (): Here => useContext(HereContext);

export function useSignInState(keeper: SignInKeeper): SignInState {
  const [state, setState] = useState(keeper.state);
  useEffect(() => {
    setState(keeper.state);
    return keeper.watch(() => setState(keeper.state));
  }, [keeper]);
  return state;
}

const mostRetries = 2;

/** A refusal is an answer; what may pass by itself is asked for again. */
export const makeQueryClient = (): QueryClient =>
  new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: 5_000,
        retry: (count, error) => count < mostRetries && !(error instanceof ApiProblem && isFinal(error)),
      },
    },
  });

const isFinal = ({ status }: ApiProblem): boolean => status >= 400 && status < 500 && status !== 408;
