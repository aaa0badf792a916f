import { useQuery } from '@tanstack/preact-query';
import { useLocation } from 'preact-iso';
import { isAtLeast } from '../../../../contract/roles.ts';
import type { VersionChange, VersionShown } from '../../account/account-api.ts';
import { useAccount, useHere } from '../../account/use-account.ts';
import { Page } from '../../parts/page.tsx';
import { Failed, Skeleton } from '../../parts/states.tsx';
import { When } from '../../parts/when.tsx';
import { named, useFormats, useWords } from '../../words/use-words.ts';
import type { TenantPageProps } from '../tenant-page-props.ts';
import { Outcomes } from './outcomes.tsx';

/** What a version changed of the one before it, or of another one: in its files, and in how its conversations went. */
export function VersionPage({ params: { agent = '', version = '' } }: TenantPageProps) {
  const { api } = useAccount();
  const { tenancy } = useHere();
  const { agents } = useWords();
  const { query } = useLocation();
  const { data, error, refetch } = useQuery({
    queryKey: ['version', tenancy.id, agent, version, query.against],
    queryFn: () => api.version(tenancy.id, agent, version, query.against),
  });
  return (
    <Page
      title={agents.versionOf(version, agent)}
      back={{ path: `/t/${tenancy.slug}/agents/${agent}/versions`, title: agents.versions }}
      actions={data && <BackToIt agent={agent} shown={data} />}
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
          <Against agent={agent} shown={data} />
          {data.against && data.changes.length === 0 && <p>{agents.noDifference}</p>}
          {data.changes.map((change, index) => (
            <Changed key={index} change={change} />
          ))}
          {data.against && <Outcomes agent={agent} versions={[data.version, data.against]} />}
        </>
      )}
    </Page>
  );
}

/** The way back: what was written then, as a change of what is written now. */
function BackToIt({ agent, shown: { version, state } }: { agent: string; shown: VersionShown }) {
  const { tenancy } = useHere();
  const { agents } = useWords();
  if (state !== null || !isAtLeast(tenancy.role, 'editor')) return null;
  return (
    <a class="button" href={`/t/${tenancy.slug}/agents/${agent}/edit?from=${version}`}>
      {agents.backToIt}
    </a>
  );
}

/** Which version it is compared with. */
function Against({ agent, shown }: { agent: string; shown: VersionShown }) {
  const { api } = useAccount();
  const { tenancy } = useHere();
  const { agents } = useWords();
  const { dateTime } = useFormats();
  const { path, route } = useLocation();
  const list = useQuery({
    queryKey: ['versions', tenancy.id, agent, 'to compare'],
    queryFn: () => api.versions(tenancy.id, agent, { limit: 100 }),
  });
  const others = list.data?.items.filter(({ version }) => version !== shown.version) ?? [];
  if (others.length === 0) return null;
  return (
    <label class="filter">
      <span>{agents.compareWith}</span>
      <select
        value={shown.against ?? ''}
        onChange={({ currentTarget: { value } }) => route(`${path}?against=${value}`)}
      >
        {shown.against === null && <option value="">{agents.nothingToCompare}</option>}
        {others.map(({ version, createdAt, state }) => (
          <option key={version} value={version}>
            {[version, dateTime(createdAt), ...(state ? [agents.states[state]] : [])].join(' · ')}
          </option>
        ))}
      </select>
    </label>
  );
}

function Changed({ change: { subject, text, lines } }: { change: VersionChange }) {
  const { agents } = useWords();
  return (
    <section class="card change">
      <h2>{named(agents.subjects, subject)}</h2>
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
