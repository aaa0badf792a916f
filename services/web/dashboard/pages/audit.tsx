import { isAtLeast } from '../../../contract/roles.ts';
import type { AuditItem } from '../account/account-api.ts';
import { useAccount, useHere } from '../account/use-account.ts';
import { ListState, More, useList } from '../parts/list.tsx';
import { Page } from '../parts/page.tsx';
import { Empty } from '../parts/states.tsx';
import { When } from '../parts/when.tsx';
import { named, useWords } from '../words/use-words.ts';

/** What people did in this tenant, the newest first. */
export function AuditPage() {
  const { tenancy } = useHere();
  const { audit } = useWords();
  return (
    <Page title={audit.title} intro={audit.intro}>
      {isAtLeast(tenancy.role, 'admin') ? (
        <AuditTable />
      ) : (
        <Empty title={audit.notYours}>
          <p class="quiet">{audit.notYoursHow}</p>
        </Empty>
      )}
    </Page>
  );
}

function AuditTable() {
  const { api } = useAccount();
  const { tenancy } = useHere();
  const { audit } = useWords();
  const list = useList(['audit', tenancy.id], (cursor) => api.audit(tenancy.id, { cursor }));
  return (
    <>
      <ListState list={list} />
      {list.data && list.items.length === 0 && (
        <Empty title={audit.none}>
          <p class="quiet">{audit.noneHow}</p>
        </Empty>
      )}
      {list.items.length > 0 && (
        <div class="table-box">
          <table class="rows">
            <thead>
              <tr>
                <th scope="col">{audit.at}</th>
                <th scope="col">{audit.person}</th>
                <th scope="col">{audit.action}</th>
                <th scope="col">{audit.target}</th>
                <th scope="col" class="wide-only">
                  {audit.details}
                </th>
              </tr>
            </thead>
            <tbody>
              {list.items.map((item) => (
                <AuditRow key={item.id} item={item} />
              ))}
            </tbody>
          </table>
        </div>
      )}
      <More list={list} />
    </>
  );
}

function AuditRow({ item: { at, person, action, target, details } }: { item: AuditItem }) {
  const { audit } = useWords();
  return (
    <tr>
      <th scope="row">
        <When at={at} />
      </th>
      <td>{person ? (person.name ?? audit.gone) : audit.nobody}</td>
      <td>{named(audit.actions, action)}</td>
      <td>
        <code>{target}</code>
      </td>
      <td class="wide-only quiet">{inWords(details)}</td>
    </tr>
  );
}

const inWords = (details: unknown): string =>
  typeof details === 'object' && details !== null
    ? Object.entries(details)
        .map(([name, value]) => `${name}: ${typeof value === 'object' ? JSON.stringify(value) : String(value)}`)
        .join(', ')
    : '';
