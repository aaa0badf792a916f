import { useQuery } from '@tanstack/preact-query';
import { useEffect, useState } from 'preact/hooks';
import type { Identities } from '../account/account-api.ts';
import { useAccount } from '../account/use-account.ts';
import { useMe } from '../account/use-me.ts';
import { Badge } from '../parts/badge.tsx';
import { Confirm } from '../parts/confirm.tsx';
import { Field } from '../parts/field.tsx';
import { Page } from '../parts/page.tsx';
import { Failed, Skeleton } from '../parts/states.tsx';
import { useSubmit } from '../parts/use-submit.ts';
import { useToken } from '../parts/use-token.ts';
import { When } from '../parts/when.tsx';
import { Shell } from '../shell/shell.tsx';
import { useWords } from '../words/use-words.ts';

/** `/account`: what lets the person in. Behind the `#` there may be `link?…`, with which the identity provider has led them back. */
export function AccountPage() {
  const { account } = useWords();
  const me = useMe();
  return (
    <Shell {...(me.data ? { me: me.data } : {})}>
      <Page title={account.title} intro={account.intro}>
        {me.error && <Failed error={me.error} onAgain={() => void me.refetch()} />}
        {me.data ? <WaysIn /> : <Skeleton />}
      </Page>
    </Shell>
  );
}

function WaysIn() {
  const { api } = useAccount();
  const { account } = useWords();
  const { data, error, refetch } = useQuery({ queryKey: ['identities'], queryFn: api.identities });
  const refused = useFinishedLink(() => void refetch());
  const ways = useQuery({ queryKey: ['ways'], queryFn: api.ways });
  if (error) return <Failed error={error} onAgain={() => void refetch()} />;
  if (!data) return <Skeleton />;
  const provider = ways.data?.openIdConnect?.name;
  return (
    <>
      {refused !== undefined && <Failed error={refused} />}
      <ul class="plain">
        {data.hasPassword && <li>{account.password}</li>}
        {data.items.map((item) => (
          <LinkedIdentity key={item.id} item={item} onGone={() => void refetch()} />
        ))}
      </ul>
      {data.items.length === 0 && <p class="quiet">{account.none}</p>}
      {provider && <LinkForm provider={provider} asksPassword={data.hasPassword} />}
    </>
  );
}

/** Finishes what the person has gone to the identity provider for. Gives why it was refused. */
function useFinishedLink(onLinked: () => void): unknown {
  const { api } = useAccount();
  const query = useToken(takeQuery);
  const [refused, setRefused] = useState<unknown>();
  useEffect(() => {
    if (query !== undefined) api.finishLink(query).then(onLinked, setRefused);
    // Once for what has come back.
  }, [query]);
  return refused;
}

function LinkedIdentity({ item, onGone }: { item: Identities['items'][number]; onGone(): void }) {
  const { api } = useAccount();
  const { account } = useWords();
  const [asks, setAsks] = useState(false);
  const unlink = async () => {
    await api.unlinkIdentity(item.id);
    setAsks(false);
    onGone();
  };
  return (
    <li>
      <code>{item.issuer}</code> {!item.signsIn && <Badge tone="plain">{account.former}</Badge>}{' '}
      <span class="quiet">
        {account.linkedSince} <When at={item.since} />
      </span>{' '}
      <button type="button" onClick={() => setAsks(true)}>
        {account.unlink}
      </button>
      {asks && (
        <Confirm
          title={account.unlinkTitle}
          how={account.unlinkHow}
          action={account.unlink}
          send={unlink}
          onClose={() => setAsks(false)}
        />
      )}
    </li>
  );
}

function LinkForm({ provider, asksPassword }: { provider: string; asksPassword: boolean }) {
  const { api, keeper } = useAccount();
  const { account, signIn } = useWords();
  const [password, setPassword] = useState('');
  const { busy, error, submit } = useSubmit(async () => {
    const { location: there } = await api.linkIdentity(asksPassword ? { password } : {});
    keeper.leaves();
    location.assign(there);
  });
  return (
    <form class="form" onSubmit={submit}>
      {error !== undefined && <Failed error={error} />}
      {asksPassword && (
        <>
          <p>{account.linkHow}</p>
          <Field
            label={signIn.password}
            type="password"
            autoComplete="current-password"
            required
            value={password}
            onValue={setPassword}
          />
        </>
      )}
      <button type="submit" class="primary" disabled={busy}>
        {account.link(provider)}
      </button>
    </form>
  );
}

/** It leaves the address at once: it is good once, and belongs in no history. */
function takeQuery(): string | undefined {
  const given = location.hash.slice(1);
  if (!given.startsWith('link?')) return undefined;
  history.replaceState(null, '', location.pathname);
  return given.slice('link'.length);
}
