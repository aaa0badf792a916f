import { useQuery } from '@tanstack/preact-query';
import { useLocation } from 'preact-iso';
import type { Analytics } from '../../account/account-api.ts';
import { useAccount, useHere } from '../../account/use-account.ts';
import { Page } from '../../parts/page.tsx';
import { Failed, Skeleton } from '../../parts/states.tsx';
import { useWords } from '../../words/use-words.ts';
import { FirstConversation } from '../sessions/first-conversation.tsx';
import { Attention } from './attention.tsx';
import { Charts } from './charts.tsx';
import { Headline } from './headline.tsx';
import { askedFor, rangeIn, ranges, usualRange } from './ranges.ts';
import { Shares } from './shares.tsx';

/** How the agents did, and what somebody should look at. */
export function OverviewPage() {
  const { api } = useAccount();
  const { tenancy } = useHere();
  const { overview } = useWords();
  const { query } = useLocation();
  const range = rangeIn(query.range);
  const asked = askedFor(range, Date.now());
  const agent = query.agent ?? '';
  const { data, error, refetch } = useQuery({
    queryKey: ['analytics', tenancy.id, asked, agent],
    queryFn: () => api.analytics(tenancy.id, { ...asked, agent }),
    placeholderData: (before: Analytics | undefined) => before,
  });
  const isEmpty = data?.totals.conversations === 0 && data.totals.unjoined === 0;
  return (
    <Page title={overview.title} intro={overview.intro} actions={<Choices data={data} range={range} agent={agent} />}>
      <Attention />
      {error && <Failed error={error} onAgain={() => void refetch()} />}
      {!data && !error && <Skeleton lines={10} />}
      {isEmpty && <FirstConversation />}
      {data && !isEmpty && (
        <>
          <Headline analytics={data} />
          <Charts analytics={data} />
          <Shares analytics={data} />
        </>
      )}
    </Page>
  );
}

function Choices({ data, range, agent }: { data: Analytics | undefined; range: string; agent: string }) {
  const { overview, sessions } = useWords();
  const { path, route } = useLocation();
  const agents = new Set([...(data?.by.agent.map(({ name }) => name) ?? []), ...(agent ? [agent] : [])]);
  const go = (next: { range: string; agent: string }) => {
    const query = new URLSearchParams();
    if (next.range !== usualRange) query.set('range', next.range);
    if (next.agent) query.set('agent', next.agent);
    route(query.size > 0 ? `${path}?${query}` : path);
  };
  return (
    <>
      <select
        aria-label={sessions.agent}
        value={agent}
        onChange={(event) => go({ range, agent: event.currentTarget.value })}
      >
        <option value="">{overview.allAgents}</option>
        {[...agents].map((name) => (
          <option key={name} value={name}>
            {name}
          </option>
        ))}
      </select>
      <select
        aria-label={overview.range}
        value={range}
        onChange={(event) => go({ range: event.currentTarget.value, agent })}
      >
        {Object.keys(ranges).map((name) => (
          <option key={name} value={name}>
            {overview.ranges[name as keyof typeof ranges]}
          </option>
        ))}
      </select>
    </>
  );
}
