import { useLocation } from 'preact-iso';
import { useAccount, useHere } from '../../account/use-account.ts';
import { OneFilter } from '../../parts/filter-choice.tsx';
import { ListState, More, useList } from '../../parts/list.tsx';
import { When } from '../../parts/when.tsx';
import { useWords } from '../../words/use-words.ts';
import { DeliveryBadge } from './delivery-badge.tsx';

export function Deliveries() {
  const { api } = useAccount();
  const { tenancy } = useHere();
  const { webhook: words, sessions } = useWords();
  const { query } = useLocation();
  const status = query.status ?? '';
  const list = useList(['deliveries', tenancy.id, status], (cursor) =>
    api.deliveries(tenancy.id, { status, cursor, limit: 25 }),
  );
  return (
    <>
      <OneFilter parameter="status" name={sessions.status} options={Object.entries(words.statuses)} />
      <ListState list={list} />
      {list.data && list.items.length === 0 && <p class="quiet">{words.none}</p>}
      {list.items.length > 0 && (
        <div class="table-box">
          <table class="rows">
            <thead>
              <tr>
                <th scope="col">{words.made}</th>
                <th scope="col">{sessions.agent}</th>
                <th scope="col">{sessions.status}</th>
                <th scope="col" class="wide-only">
                  {words.event}
                </th>
                <th scope="col" class="wide-only">
                  {words.lastAnswer}
                </th>
                <th scope="col" class="figure">
                  {words.attempts}
                </th>
              </tr>
            </thead>
            <tbody>
              {list.items.map((item) => (
                <tr key={item.id}>
                  <th scope="row">
                    <a class="row-link" href={`/t/${tenancy.slug}/webhook/deliveries/${item.id}`}>
                      <When at={item.createdAt} />
                    </a>
                  </th>
                  <td>{item.agent}</td>
                  <td>
                    <DeliveryBadge status={item.status} />
                  </td>
                  <td class="wide-only">
                    <code>{item.event}</code>
                  </td>
                  <td class="wide-only cut quiet">{item.lastError ?? item.lastStatusCode}</td>
                  <td class="figure">{item.attempts}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      <More list={list} />
    </>
  );
}
