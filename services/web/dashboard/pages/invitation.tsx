import { useQuery } from '@tanstack/preact-query';
import { useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { useAccount } from '../account/use-account.ts';
import { Entry } from '../parts/entry.tsx';
import { Field } from '../parts/field.tsx';
import { NewPassword } from '../parts/new-password.tsx';
import { Failed, Skeleton } from '../parts/states.tsx';
import { useSubmit } from '../parts/use-submit.ts';
import { useToken } from '../parts/use-token.ts';
import { useWords } from '../words/use-words.ts';
import { ProviderButton } from './sign-in.tsx';

/** `/invitation#inv_…`: what a member or the operator hands on. Behind the `#` the token is sent to no server before it is accepted. */
export function Invitation() {
  const { invitation } = useWords();
  const token = useToken(readToken);
  if (!token) {
    return (
      <Entry title={invitation.missing} intro={invitation.missingHow}>
        {null}
      </Entry>
    );
  }
  return (
    <Entry title={invitation.title} intro={invitation.intro}>
      <Accept key={token} token={token} />
    </Entry>
  );
}

/** By the identity provider, where there is one and it knows the invited address; else by a password. */
function Accept({ token }: { token: string }) {
  const { api } = useAccount();
  const { data, error, refetch } = useQuery({ queryKey: ['ways'], queryFn: api.ways });
  if (error) return <Failed error={error} onAgain={() => void refetch()} />;
  if (!data) return <Skeleton lines={4} />;
  return (
    <div class="form">
      {data.openIdConnect && <ProviderButton name={data.openIdConnect.name} given={{ invitation: token }} />}
      {data.password && <AcceptForm token={token} />}
    </div>
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
      <NewPassword label={invitation.password} value={password} onValue={setPassword} />
      <button type="submit" class="primary" disabled={busy}>
        {invitation.submit}
      </button>
    </form>
  );
}

/** It stays in the address until it is accepted: whoever reloads the page still has it. */
function readToken(): string | undefined {
  const given = location.hash.slice(1);
  return given.startsWith('inv_') ? given : undefined;
}
