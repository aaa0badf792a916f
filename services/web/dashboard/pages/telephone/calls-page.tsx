import { useLocation } from 'preact-iso';
import { isAtLeast } from '../../../../contract/roles.ts';
import { useAccount, useHere } from '../../account/use-account.ts';
import { OneFilter } from '../../parts/filter-choice.tsx';
import { ListState, More, useList } from '../../parts/list.tsx';
import { Page } from '../../parts/page.tsx';
import { Empty } from '../../parts/states.tsx';
import { When } from '../../parts/when.tsx';
import { useWords } from '../../words/use-words.ts';
import { CallBadge } from './call-badge.tsx';

/** Calls that agents made, the newest first. */
export function CallsPage() {
  const { api } = useAccount();
  const { tenancy } = useHere();
  const { optOuts, telephone: words } = useWords();
  const { query } = useLocation();
  const state = query.state ?? '';
  const list = useList(['calls', tenancy.id, state], (cursor) => api.calls(tenancy.id, { state, cursor, limit: 25 }));
  const isEmpty = list.data !== undefined && list.items.length === 0;
  return (
    <Page
      title={words.calls}
      intro={words.callsIntro}
      actions={
        isAtLeast(tenancy.role, 'editor') && (
          <a class="button" href={`/t/${tenancy.slug}/opt-outs`}>
            {optOuts.title}
          </a>
        )
      }
    >
      <OneFilter parameter="state" name={words.state} options={Object.entries(words.states)} />
      <ListState list={list} />
      {isEmpty && state !== '' && <p class="quiet">{words.noneSuch}</p>}
      {isEmpty && state === '' && (
        <Empty title={words.noCalls}>
          <p>{words.noCallsHow}</p>
        </Empty>
      )}
      {list.items.length > 0 && (
        <div class="table-box">
          <table class="rows">
            <thead>
              <tr>
                <th scope="col">{words.asked}</th>
                <th scope="col">{words.to}</th>
                <th scope="col">{words.state}</th>
                <th scope="col" class="wide-only">
                  {words.agent}
                </th>
              </tr>
            </thead>
            <tbody>
              {list.items.map((call) => (
                <tr key={call.id}>
                  <th scope="row">
                    <a class="row-link" href={`/t/${tenancy.slug}/calls/${call.id}`}>
                      <When at={call.askedAt} />
                    </a>
                  </th>
                  <td>{call.to}</td>
                  <td>
                    <CallBadge state={call.state} />
                  </td>
                  <td class="wide-only">{call.agent}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      <More list={list} />
    </Page>
  );
}
