import { useQuery } from '@tanstack/preact-query';
import { useEffect, useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { ApiProblem } from '../../client/request.ts';
import { useAccount, useSignInState } from '../account/use-account.ts';
import { ownPath } from '../account/use-me.ts';
import { Entry } from '../parts/entry.tsx';
import { Field } from '../parts/field.tsx';
import { Failed, Skeleton } from '../parts/states.tsx';
import { useSubmit } from '../parts/use-submit.ts';
import { useWords } from '../words/use-words.ts';
import { Forgotten } from './reset-password.tsx';

/**
 * `/sign-in`. Behind the `#` there may be `link_…`, which `npm start` prints and which signs in at once, or `error=…`, with which the identity
 * provider's answer was refused.
 */
export function SignInPage() {
  const { keeper } = useAccount();
  const { query, route } = useLocation();
  const { signIn } = useWords();
  const [given] = useState(takeFragment);
  const state = useSignInState(keeper);
  const [failed, setFailed] = useState<unknown>(given.error && new ApiProblem(0, given.error, given.error));
  useEffect(() => {
    if (given.link) keeper.signIn('/auth/link', { token: given.link }).catch(setFailed);
    else if (given.error) keeper.stayedAway();
  }, [keeper, given]);
  useEffect(() => {
    if (state === 'in') route(ownPath(query.to), true);
  }, [state, query.to, route]);

  const byLink = given.link !== undefined && failed === undefined;
  return (
    <Entry title={signIn.title} intro={byLink ? signIn.byLink : signIn.intro}>
      {failed !== undefined && <Failed error={failed} />}
      {byLink ? <Skeleton lines={3} /> : <Ways to={ownPath(query.to)} />}
    </Entry>
  );
}

function Ways({ to }: { to: string }) {
  const { api } = useAccount();
  const { data, error, refetch } = useQuery({ queryKey: ['ways'], queryFn: api.ways });
  if (error) return <Failed error={error} onAgain={() => void refetch()} />;
  if (!data) return <Skeleton lines={3} />;
  return (
    <div class="form">
      {data.openIdConnect && <ProviderButton name={data.openIdConnect.name} given={{ to }} />}
      {data.password && <PasswordForm />}
    </div>
  );
}

/** On to the identity provider, and back. @param given an invitation to accept, or the page to come back to */
export function ProviderButton({ name, given }: { name: string; given: { to?: string; invitation?: string } }) {
  const { keeper, api } = useAccount();
  const { signIn } = useWords();
  const { busy, error, submit } = useSubmit(async () => {
    const { location: provider } = await api.leaveToSignIn(given);
    keeper.leaves();
    location.assign(provider);
  });
  return (
    <>
      {error !== undefined && <Failed error={error} />}
      <button type="button" class="primary" disabled={busy} onClick={() => void submit()}>
        {signIn.by(name)}
      </button>
    </>
  );
}

function PasswordForm() {
  const { keeper } = useAccount();
  const { signIn } = useWords();
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const { busy, error, submit } = useSubmit(() => keeper.signIn('/auth/sign-in', { email, password }));
  return (
    <form class="form" onSubmit={submit}>
      {error !== undefined && <Failed error={error} />}
      <Field label={signIn.email} type="email" autoComplete="username" required value={email} onValue={setEmail} />
      <Field
        label={signIn.password}
        type="password"
        autoComplete="current-password"
        required
        value={password}
        onValue={setPassword}
      />
      <button type="submit" class="primary" disabled={busy}>
        {signIn.submit}
      </button>
      <Forgotten />
    </form>
  );
}

/** It leaves the address at once: a token opens one door, once, and belongs in no history. */
function takeFragment(): { link?: string; error?: string } {
  const given = location.hash.slice(1);
  if (given) history.replaceState(null, '', location.pathname + location.search);
  if (given.startsWith('link_')) return { link: given };
  const error = new URLSearchParams(given).get('error');
  return error ? { error } : {};
}
