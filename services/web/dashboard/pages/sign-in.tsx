import { useEffect, useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { useAccount, useSignInState } from '../account/use-account.ts';
import { ownPath } from '../account/use-me.ts';
import { Entry } from '../parts/entry.tsx';
import { Field } from '../parts/field.tsx';
import { Failed, Skeleton } from '../parts/states.tsx';
import { useSubmit } from '../parts/use-submit.ts';
import { useWords } from '../words/use-words.ts';
import { Forgotten } from './reset-password.tsx';

/** `/sign-in`, and with a `#link_…` behind it what `npm start` prints: whoever opens that is signed in. */
export function SignInPage() {
  const { keeper } = useAccount();
  const { query, route } = useLocation();
  const { signIn } = useWords();
  const [link] = useState(takeLink);
  const state = useSignInState(keeper);
  const [failed, setFailed] = useState<unknown>();
  useEffect(() => {
    if (link) keeper.signIn('/auth/link', { token: link }).catch(setFailed);
  }, [keeper, link]);
  useEffect(() => {
    if (state === 'in') route(ownPath(query.to), true);
  }, [state, query.to, route]);

  const byLink = link !== undefined && failed === undefined;
  return (
    <Entry title={signIn.title} intro={byLink ? signIn.byLink : signIn.intro}>
      {failed !== undefined && <Failed error={failed} />}
      {byLink ? <Skeleton lines={3} /> : <PasswordForm />}
    </Entry>
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

/** The token leaves the address at once: it opens one door, once, and belongs in no history. */
function takeLink(): string | undefined {
  const given = location.hash.slice(1);
  if (!given.startsWith('link_')) return undefined;
  history.replaceState(null, '', location.pathname + location.search);
  return given;
}
