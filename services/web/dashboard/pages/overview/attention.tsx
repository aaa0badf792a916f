import { useQuery } from '@tanstack/preact-query';
import { isAtLeast } from '../../../../contract/roles.ts';
import type { Agent } from '../../account/account-api.ts';
import { useAccount, useHere } from '../../account/use-account.ts';
import type { Words } from '../../words/english.ts';
import { useWords } from '../../words/use-words.ts';

type Cap = Agent['capsNear'][number];

/** `8 of 10 minutes of today are used`, of an agent or of all. */
export const capInWords = ({ cap, used, limit }: Cap, words: Words['agents']['caps'], agent?: string): string =>
  words[cap](used, limit, agent ?? words.tenant);

interface Matter {
  says: string;
  href: string;
}

/** What somebody should look at: files that can't be read or were refused, scenarios that fail, deliveries that failed, receivers that were switched off, challenges that nobody can verify. */
export function Attention() {
  const { tenancy } = useHere();
  const { overview } = useWords();
  const matters = [...useAgentMatters(), ...useDeliveryMatters()];
  if (matters.length === 0) return null;
  return (
    <section class="attention" aria-labelledby="attention">
      <h2 id="attention">{overview.attention}</h2>
      <ul>
        {matters.map(({ says, href }) => (
          <li key={says}>
            <a href={`/t/${tenancy.slug}${href}`}>{says}</a>
          </li>
        ))}
      </ul>
    </section>
  );
}

function useAgentMatters(): Matter[] {
  const { api } = useAccount();
  const { tenancy } = useHere();
  const { overview, agents } = useWords();
  const { data } = useQuery({ queryKey: ['agents', tenancy.id], queryFn: () => api.agents(tenancy.id) });
  if (!data) return [];
  const newest = data.newestRevision;
  const ofAgents = data.items
    .filter(({ state }) => state === 'live')
    .flatMap(({ agent, ...item }) => [
      ...(item.missingKeys.length > 0 ? [{ says: overview.keysMissing(agent), href: `/agents/${agent}` }] : []),
      ...(item.challenge?.missing ? [{ says: overview.challengeNotSetUp(agent), href: `/agents/${agent}` }] : []),
      ...item.capsNear
        .filter(({ of }) => of === 'agent')
        .map((cap) => ({ says: capInWords(cap, agents.caps, agent), href: `/agents/${agent}` })),
    ]);
  const ofTenant = (data.items[0]?.capsNear ?? [])
    .filter(({ of }) => of === 'tenant')
    .map((cap) => ({ says: capInWords(cap, agents.caps), href: '/agents' }));
  const unreadable = data.unreadable ? [{ says: overview.unreadable, href: '/agents' }] : [];
  const atAll = [...unreadable, ...ofTenant, ...ofAgents];
  if (!newest) return atAll;
  const refused = newest.state === 'refused' ? newest.reasons.length + newest.reasonsLeftOut : 0;
  const failing = newest.warnings.length + newest.warningsLeftOut;
  return [
    ...atAll,
    ...(refused > 0 ? [{ says: overview.refused(refused), href: '/agents' }] : []),
    ...(failing > 0 ? [{ says: overview.failing(failing), href: '/scenarios' }] : []),
  ];
}

function useDeliveryMatters(): Matter[] {
  const { api } = useAccount();
  const { tenancy } = useHere();
  const { overview } = useWords();
  const failed = useQuery({
    queryKey: ['deliveries', tenancy.id, 'attention'],
    queryFn: () => api.deliveries(tenancy.id, { status: 'failed', limit: 100 }),
    enabled: isAtLeast(tenancy.role, 'editor'),
  });
  const receivers = useQuery({
    queryKey: ['webhook', tenancy.id],
    queryFn: () => api.webhooks(tenancy.id),
    enabled: isAtLeast(tenancy.role, 'admin'),
  });
  const count = failed.data?.items.length ?? 0;
  const stopped = receivers.data?.items.filter(({ state }) => state === 'disabled') ?? [];
  return [
    ...(count > 0 ? [{ says: overview.failedDeliveries(count), href: '/webhook?status=failed' }] : []),
    ...stopped.map(({ agent }) => ({ says: overview.stopped(agent), href: '/webhook' })),
  ];
}
