import { useQuery, useQueryClient } from '@tanstack/preact-query';
import { useAccount, useHere } from '../../account/use-account.ts';
import { useAnnounce } from '../../parts/announcements.tsx';
import { Page } from '../../parts/page.tsx';
import { Failed, Skeleton } from '../../parts/states.tsx';
import { useSubmit } from '../../parts/use-submit.ts';
import { useWords } from '../../words/use-words.ts';
import type { TenantPageProps } from '../tenant-page-props.ts';
import { DeliveryDetails } from './delivery-details.tsx';

/** While a delivery is on its way it is looked at so often. */
const pendingEveryMs = 2_000;

export function DeliveryPage({ params: { delivery: id = '' } }: TenantPageProps) {
  const { api } = useAccount();
  const { tenancy } = useHere();
  const { webhook: words } = useWords();
  const queries = useQueryClient();
  const announce = useAnnounce();
  const key = ['delivery', tenancy.id, id];
  const { data, error, refetch } = useQuery({
    queryKey: key,
    queryFn: () => api.delivery(tenancy.id, id),
    refetchInterval: ({ state }) => (state.data?.status === 'pending' ? pendingEveryMs : false),
  });
  const again = useSubmit(async () => {
    queries.setQueryData(key, await api.sendAgain(tenancy.id, id));
    announce(words.sentAgain);
  });
  return (
    <Page
      title={words.delivery}
      back={{ path: `/t/${tenancy.slug}/webhook`, title: words.title }}
      actions={
        data && (
          <button type="button" disabled={again.busy || data.status === 'pending'} onClick={() => void again.submit()}>
            {words.sendAgain}
          </button>
        )
      }
    >
      {again.error !== undefined && <Failed error={again.error} />}
      {error && <Failed error={error} onAgain={() => void refetch()} />}
      {!data && !error && <Skeleton />}
      {data && <DeliveryDetails delivery={data} />}
      {data?.sessionId && (
        <p>
          <a href={`/t/${tenancy.slug}/sessions/${data.sessionId}`}>{words.toSession}</a>
        </p>
      )}
    </Page>
  );
}
