import { useQuery } from '@tanstack/preact-query';
import { useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { useAccount } from '../account/use-account.ts';
import { Entry } from '../parts/entry.tsx';
import { Field } from '../parts/field.tsx';
import { NewPassword } from '../parts/new-password.tsx';
import { Failed } from '../parts/states.tsx';
import { useSubmit } from '../parts/use-submit.ts';
import { useToken } from '../parts/use-token.ts';
import { useWords } from '../words/use-words.ts';

/** `/reset-password`, and with a `#reset_…` behind it what a letter has brought: whoever opens that chooses a new password. */
export function ResetPassword() {
  const { reset } = useWords();
  const token = useToken(takeToken);
  return (
    <Entry title={reset.title} intro={token ? reset.chooseIntro : reset.intro}>
      {token ? <ChooseForm key={token} token={token} /> : <AskForm />}
    </Entry>
  );
}

/** Below the form to sign in. Where no mail is sent an operator helps. */
export function Forgotten() {
  const { api } = useAccount();
  const { signIn, reset } = useWords();
  const { data: byMail } = useQuery({ queryKey: ['reset-by-mail'], queryFn: api.resetByMail });
  if (byMail) return <a href="/reset-password">{reset.link}</a>;
  return <p class="hint">{signIn.forgotten}</p>;
}

function AskForm() {
  const { api } = useAccount();
  const { signIn, reset } = useWords();
  const [email, setEmail] = useState('');
  const [askedFor, setAskedFor] = useState<string>();
  const { busy, error, submit } = useSubmit(async () => {
    await api.forget(email);
    setAskedFor(email);
  });
  if (askedFor) return <p role="status">{reset.asked(askedFor)}</p>;
  return (
    <form class="form" onSubmit={submit}>
      {error !== undefined && <Failed error={error} />}
      <Field label={signIn.email} type="email" autoComplete="username" required value={email} onValue={setEmail} />
      <button type="submit" class="primary" disabled={busy}>
        {reset.ask}
      </button>
      <a href="/sign-in">{reset.back}</a>
    </form>
  );
}

function ChooseForm({ token }: { token: string }) {
  const { keeper } = useAccount();
  const { route } = useLocation();
  const { reset } = useWords();
  const [password, setPassword] = useState('');
  const { busy, error, submit } = useSubmit(async () => {
    await keeper.signIn('/auth/reset-password', { token, password });
    route('/', true);
  });
  return (
    <form class="form" onSubmit={submit}>
      {error !== undefined && <Failed error={error} />}
      <NewPassword label={reset.password} value={password} onValue={setPassword} />
      <button type="submit" class="primary" disabled={busy}>
        {reset.choose}
      </button>
    </form>
  );
}

/** It leaves the address at once: it opens one door, once, and belongs in no history. */
function takeToken(): string | undefined {
  const given = location.hash.slice(1);
  if (!given.startsWith('reset_')) return undefined;
  history.replaceState(null, '', location.pathname);
  return given;
}
