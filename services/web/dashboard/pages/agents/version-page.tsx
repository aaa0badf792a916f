import { useQuery } from '@tanstack/preact-query';
import type { VersionChange } from '../../account/account-api.ts';
import { useAccount, useHere } from '../../account/use-account.ts';
import { Page } from '../../parts/page.tsx';
import { Failed, Skeleton } from '../../parts/states.tsx';
import { When } from '../../parts/when.tsx';
import { useWords } from '../../words/use-words.ts';
import type { TenantPageProps } from '../tenant-pages.ts';

/** What a version changed of the one before it. */
export function VersionPage({ params: { agent = '', version = '' } }: TenantPageProps) {
  const { api } = useAccount();
  const { tenancy } = useHere();
  const { agents } = useWords();
  const { data, error, refetch } = useQuery({
    queryKey: ['version', tenancy.id, agent, version],
    queryFn: () => api.version(tenancy.id, agent, version),
  });
  return (
    <Page
      title={agents.versionOf(version, agent)}
      above={
        <a class="back" href={`/t/${tenancy.slug}/agents/${agent}/versions`}>
          {agents.versions}
        </a>
      }
    >
      {error && <Failed error={error} onAgain={() => void refetch()} />}
      {!data && !error && <Skeleton lines={8} />}
      {data && (
        <>
          <p class="quiet">
            <When at={data.createdAt} />
            {data.commit && (
              <>
                {' · '}
                <code>{data.commit.slice(0, 12)}</code>
              </>
            )}
            {' · '}
            {data.against ? agents.comparedWith(data.against) : agents.first}
          </p>
          {data.changes.map((change, index) => (
            <Changed key={index} change={change} />
          ))}
        </>
      )}
    </Page>
  );
}

function Changed({ change: { subject, text, lines } }: { change: VersionChange }) {
  return (
    <section class="card change">
      <h2>{subject}</h2>
      <p class="quiet">{text}</p>
      {lines && <Diff lines={lines} />}
    </section>
  );
}

const marks = { same: ' ', removed: '−', added: '+', skipped: '…' } as const;

export function Diff({ lines }: { lines: NonNullable<VersionChange['lines']> }) {
  const { agents } = useWords();
  return (
    <ol class="diff">
      {lines.map(({ kind, text }, index) => (
        <li key={index} data-kind={kind}>
          <span aria-hidden="true">{marks[kind]}</span>
          {(kind === 'removed' || kind === 'added') && <span class="visually-hidden">{agents.diff[kind]}: </span>}
          <code>{text}</code>
        </li>
      ))}
    </ol>
  );
}
