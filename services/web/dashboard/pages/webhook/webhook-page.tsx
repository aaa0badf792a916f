import { useQuery, useQueryClient } from '@tanstack/preact-query';
import { useState } from 'preact/hooks';
import { isAtLeast } from '../../../../contract/roles.ts';
import type { Delivery, Webhook } from '../../account/account-api.ts';
import { useAccount, useHere } from '../../account/use-account.ts';
import { Badge } from '../../parts/badge.tsx';
import { Page } from '../../parts/page.tsx';
import { Empty, Failed, Skeleton } from '../../parts/states.tsx';
import { useSubmit } from '../../parts/use-submit.ts';
import { useWords } from '../../words/use-words.ts';
import { Deliveries } from './deliveries.tsx';
import { DeliveryDetails } from './delivery-details.tsx';

/** Where finished conversations are sent, a test of it, and what became of every delivery. */
export function WebhookPage() {
  const { tenancy } = useHere();
  const { webhook: words } = useWords();
  return (
    <Page title={words.title} intro={words.intro}>
      {isAtLeast(tenancy.role, 'admin') && <Receivers />}
      {isAtLeast(tenancy.role, 'editor') ? (
        <section class="section" aria-labelledby="deliveries">
          <h2 id="deliveries">{words.deliveries}</h2>
          <Deliveries />
        </section>
      ) : (
        <Empty title={words.notYours}>
          <p class="quiet">{words.notYoursHow}</p>
        </Empty>
      )}
    </Page>
  );
}

function Receivers() {
  const { api } = useAccount();
  const { tenancy } = useHere();
  const { webhook: words } = useWords();
  const { data, error, refetch } = useQuery({
    queryKey: ['webhook', tenancy.id],
    queryFn: () => api.webhooks(tenancy.id),
  });
  if (error) return <Failed error={error} onAgain={() => void refetch()} />;
  if (!data) return <Skeleton lines={3} />;
  return (
    <div class="cards">
      {data.items.map((item) => (
        <Receiver key={item.agent} webhook={item} words={words} />
      ))}
    </div>
  );
}

function Receiver({ webhook, words }: { webhook: Webhook; words: ReturnType<typeof useWords>['webhook'] }) {
  const { api } = useAccount();
  const { tenancy } = useHere();
  const [tested, setTested] = useState<Delivery>();
  const queries = useQueryClient();
  const { busy, error, submit } = useSubmit(async () => {
    setTested(await api.testWebhook(tenancy.id, webhook.agent));
    await queries.invalidateQueries({ queryKey: ['deliveries', tenancy.id] });
  });
  const isOn = webhook.state === 'on';
  return (
    <section class="card" aria-labelledby={`receiver-${webhook.agent}`}>
      <div class="card-head">
        <h2 id={`receiver-${webhook.agent}`}>{webhook.agent}</h2>
        <Badge tone={isOn ? 'good' : webhook.state === 'disabled' ? 'bad' : 'plain'}>
          {words.states[webhook.state]}
        </Badge>
      </div>
      {webhook.url !== null && (
        <p>
          <code>{typeof webhook.url === 'string' ? webhook.url : `$${webhook.url.env}`}</code>
        </p>
      )}
      {webhook.how && <p class="quiet">{webhook.how}</p>}
      <div class="actions">
        {isOn && (
          <button type="button" disabled={busy} onClick={() => void submit()}>
            {busy ? words.testing : words.test}
          </button>
        )}
        <a class="button" href={`/t/${tenancy.slug}/webhook/agents/${webhook.agent}`}>
          {webhook.url === null ? words.give : words.change}
          <span class="visually-hidden"> ({webhook.agent})</span>
        </a>
      </div>
      {error !== undefined && <Failed error={error} />}
      {tested && <DeliveryDetails delivery={tested} />}
    </section>
  );
}
