import { useLocation } from 'preact-iso';
import { useAccount, useHere } from '../../account/use-account.ts';
import { ListState, More, useList } from '../../parts/list.tsx';
import { Page } from '../../parts/page.tsx';
import { Empty } from '../../parts/states.tsx';
import { useWords } from '../../words/use-words.ts';
import { Export } from './export.tsx';
import { Filters, filterOf } from './filters.tsx';
import { FirstConversation } from './first-conversation.tsx';
import { SessionTable } from './session-table.tsx';

const pageSize = 50;

export function SessionsPage() {
  const { api } = useAccount();
  const { tenancy } = useHere();
  const { query, path } = useLocation();
  const { sessions } = useWords();
  const filter = filterOf(query);
  const isFiltered = Object.keys(filter).length > 0;
  const list = useList(['sessions', tenancy.id, filter], (cursor) =>
    api.sessions(tenancy.id, filter, { limit: pageSize, cursor }),
  );
  const { items } = list;
  const agents = [...new Set(items.map(({ agent }) => agent))].sort();

  return (
    <Page title={sessions.title} intro={sessions.intro} actions={items.length > 0 && <Export filter={filter} />}>
      {(isFiltered || items.length > 0) && <Filters filter={filter} agents={agents} />}
      <ListState list={list} />
      {list.data && items.length === 0 && !isFiltered && <FirstConversation />}
      {list.data && items.length === 0 && isFiltered && (
        <Empty title={sessions.noneFound}>
          <p class="quiet">{sessions.noneFoundHow}</p>
          <a class="button" href={path}>
            {sessions.clear}
          </a>
        </Empty>
      )}
      {items.length > 0 && <SessionTable items={items} base={`/t/${tenancy.slug}/sessions`} />}
      <More list={list} />
    </Page>
  );
}
