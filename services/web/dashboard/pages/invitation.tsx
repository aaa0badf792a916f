import { useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { useAccount } from '../account/use-account.ts';
import { Entry } from '../parts/entry.tsx';
import { Field } from '../parts/field.tsx';
import { Failed } from '../parts/states.tsx';
import { useSubmit } from '../parts/use-submit.ts';
import { useWords } from '../words/use-words.ts';

/** `/invitation#inv_…`: what a member or the operator hands on. Behind the `#` the token is sent to no server before it is accepted. */
export function Invitation() {
  const { invitation } = useWords();
  const token = location.hash.slice(1);
  if (!token.startsWith('inv_')) {
    return (
      <Entry title={invitation.missing} intro={invitation.missingHow}>
        {null}
      </Entry>
    );
  }
  return (
    <Entry title={invitation.title} intro={invitation.intro}>
      <AcceptForm token={token} />
    </Entry>
  );
}

function AcceptForm({ token }: { token: string }) {
  const { keeper } = useAccount();
  const { route } = useLocation();
  const { invitation } = useWords();
  const [name, setName] = useState('');
  const [password, setPassword] = useState('');
  const { busy, error, submit } = useSubmit(async () => {
    await keeper.signIn('/invitation', { token, name, password });
    route('/', true);
  });
  return (
    <form class="form" onSubmit={submit}>
      {error !== undefined && <Failed error={error} />}
      <Field label={invitation.name} autoComplete="name" required maxLength={200} value={name} onValue={setName} />
      <Field
        label={invitation.password}
        hint={invitation.passwordRule}
        type="password"
        autoComplete="new-password"
        required
        minLength={12}
        maxLength={200}
        value={password}
        onValue={setPassword}
      />
      <button type="submit" class="primary" disabled={busy}>
        {invitation.submit}
      </button>
    </form>
  );
}
