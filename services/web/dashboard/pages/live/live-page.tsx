import { useState } from 'preact/hooks';
import type { LiveList, SessionItem } from '../../account/account-api.ts';
import { useHere } from '../../account/use-account.ts';
import { useLive } from '../../account/use-live.ts';
import { Outcomes } from '../../parts/badge.tsx';
import { Page } from '../../parts/page.tsx';
import { Empty, Skeleton } from '../../parts/states.tsx';
import { When } from '../../parts/when.tsx';
import { named, useWords } from '../../words/use-words.ts';

/** The conversations that go on, as they come and go. */
export function LivePage() {
  const { tenancy } = useHere();
  const { live, problem } = useWords();
  const [items, setItems] = useState<SessionItem[]>();
  const isConnected = useLive<LiveList>(`/api/tenants/${tenancy.id}/live`, (_event, data) => {
    setItems(data.items);
    return false;
  });
  return (
    <Page title={live.title} intro={live.intro}>
      {items && !isConnected && (
        <p class="quiet" role="status">
          {problem.offline}
        </p>
      )}
      {!items && <Skeleton lines={4} />}
      {items?.length === 0 && (
        <Empty title={live.none}>
          <p class="quiet">{live.noneHow}</p>
        </Empty>
      )}
      {items && items.length > 0 && <LiveTable items={items} base={`/t/${tenancy.slug}/sessions`} />}
    </Page>
  );
}

function LiveTable({ items, base }: { items: SessionItem[]; base: string }) {
  const { sessions, codes } = useWords();
  return (
    <div class="table-box">
      <table class="rows">
        <thead>
          <tr>
            <th scope="col">{sessions.started}</th>
            <th scope="col">{sessions.agent}</th>
            <th scope="col">{sessions.status}</th>
            <th scope="col">{sessions.channel}</th>
            <th scope="col" class="wide-only">
              {sessions.language}
            </th>
            <th scope="col" class="figure">
              {sessions.turns}
            </th>
          </tr>
        </thead>
        <tbody>
          {items.map((item) => (
            <tr key={item.id}>
              <th scope="row">
                <a class="row-link" href={`${base}/${item.id}`}>
                  <When at={item.startedAt ?? item.createdAt} />
                </a>
              </th>
              <td>{item.agent}</td>
              <td>
                <Outcomes status={item.status} outcome={null} />
              </td>
              <td class="quiet">
                {named(codes.channel, item.channel)} · {named(codes.mode, item.interactionMode)}
              </td>
              <td class="wide-only">{item.language}</td>
              <td class="figure" data-name={sessions.turns}>
                {item.turns}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
