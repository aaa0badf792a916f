import { useQuery } from '@tanstack/preact-query';
import { useState } from 'preact/hooks';
import { isAtLeast } from '../../../../contract/roles.ts';
import type { Credentials } from '../../account/account-api.ts';
import { useAccount, useHere } from '../../account/use-account.ts';
import { CopyButton } from '../../parts/copy-button.tsx';
import { Failed, Skeleton } from '../../parts/states.tsx';
import { When } from '../../parts/when.tsx';
import { useWords } from '../../words/use-words.ts';
import type { TenantPageProps } from '../tenant-page-props.ts';
import { AgentFrame } from './agent-frame.tsx';
import { RegenerateDialog } from './regenerate-dialog.tsx';

export function CredentialsPage({ params: { agent = '' } }: TenantPageProps) {
  return <AgentFrame agent={agent}>{() => <CredentialCards agent={agent} />}</AgentFrame>;
}

function CredentialCards({ agent }: { agent: string }) {
  const { api } = useAccount();
  const { tenancy } = useHere();
  const { credentials: words } = useWords();
  const [regenerating, setRegenerating] = useState<'key' | 'secret'>();
  const { data, error, refetch } = useQuery({
    queryKey: ['credentials', tenancy.id, agent],
    queryFn: () => api.credentials(tenancy.id, agent),
  });
  if (error) return <Failed error={error} onAgain={() => void refetch()} />;
  if (!data) return <Skeleton />;
  const regenerate = (kind: 'key' | 'secret') =>
    isAtLeast(tenancy.role, 'admin') && (
      <button type="button" onClick={() => setRegenerating(kind)}>
        {words.regenerate[kind]}
      </button>
    );
  return (
    <div class="stack">
      <section class="card" aria-labelledby="key">
        <div class="card-head">
          <h2 id="key">{words.key}</h2>
          {regenerate('key')}
        </div>
        <p class="quiet">{words.keyHow}</p>
        {data.apiKey ? (
          <p class="secret">
            <code>{data.apiKey}</code>
            <CopyButton text={data.apiKey} label={words.copyKey} />
          </p>
        ) : (
          <p class="quiet">{words.keyHidden}</p>
        )}
        <CredentialTable items={data.keys} />
      </section>
      <section class="card" aria-labelledby="secret">
        <div class="card-head">
          <h2 id="secret">{words.secret}</h2>
          {regenerate('secret')}
        </div>
        <p class="quiet">{words.secretHow}</p>
        <CredentialTable items={data.secrets} />
      </section>
      {regenerating && (
        <RegenerateDialog agent={agent} kind={regenerating} onClose={() => setRegenerating(undefined)} />
      )}
    </div>
  );
}

function CredentialTable({ items }: { items: (Credentials['secrets'][number] & { lastUsedAt?: string | null })[] }) {
  const { credentials: words } = useWords();
  const isKey = items.some((item) => item.lastUsedAt !== undefined);
  return (
    <div class="table-box flat">
      <table class="small">
        <thead>
          <tr>
            <th scope="col">{words.prefix}</th>
            <th scope="col">{words.created}</th>
            {isKey && <th scope="col">{words.lastUsed}</th>}
            <th scope="col">{words.works}</th>
          </tr>
        </thead>
        <tbody>
          {items.map(({ prefix, createdAt, lastUsedAt, expiresAt }) => (
            <tr key={prefix}>
              <th scope="row">
                <code>{prefix}…</code>
              </th>
              <td>
                <When at={createdAt} />
              </td>
              {isKey && <td>{lastUsedAt ? <When at={lastUsedAt} /> : words.never}</td>}
              <td>
                {expiresAt ? (
                  <>
                    {words.until} <When at={expiresAt} />
                  </>
                ) : (
                  words.current
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
