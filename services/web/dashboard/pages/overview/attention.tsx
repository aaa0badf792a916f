import { useQuery } from '@tanstack/preact-query';
import { isAtLeast } from '../../../../contract/roles.ts';
import { useAccount, useHere } from '../../account/use-account.ts';
import { useWords } from '../../words/use-words.ts';

interface Matter {
  says: string;
  href: string;
}

/** What somebody should look at: refused files, scenarios that fail, deliveries that failed, receivers that were switched off. */
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
  const { overview } = useWords();
  const { data } = useQuery({ queryKey: ['agents', tenancy.id], queryFn: () => api.agents(tenancy.id) });
  const newest = data?.newestRevision;
  if (!newest) return [];
  const refused = newest.state === 'refused' ? newest.reasons.length + newest.reasonsLeftOut : 0;
  const failing = newest.warnings.length + newest.warningsLeftOut;
  return [
    ...(refused > 0 ? [{ says: overview.refused(refused), href: '/agents' }] : []),
    ...(failing > 0 ? [{ says: overview.failing(failing), href: '/agents' }] : []),
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
