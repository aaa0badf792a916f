import { useState } from 'preact/hooks';
import { isAtLeast } from '../../../../contract/roles.ts';
import { useAccount, useHere } from '../../account/use-account.ts';
import { ListState, More, useList } from '../../parts/list.tsx';
import { Page } from '../../parts/page.tsx';
import { Empty } from '../../parts/states.tsx';
import { useWords } from '../../words/use-words.ts';
import { AddNumberDialog } from './add-number-dialog.tsx';
import { hoursInWords } from './hours.ts';

/** Telephone numbers, and who answers them. */
export function NumbersPage() {
  const { api } = useAccount();
  const { tenancy } = useHere();
  const { telephone: words, trunks } = useWords();
  const [isAdding, setAdding] = useState(false);
  const list = useList(['numbers', tenancy.id], (cursor) => api.numbers(tenancy.id, { cursor, limit: 50 }));
  return (
    <Page
      title={words.numbers}
      intro={words.numbersIntro}
      actions={
        <>
          <a class="button" href={`/t/${tenancy.slug}/sessions?channel=phone`}>
            {words.cameIn}
          </a>
          {isAtLeast(tenancy.role, 'admin') && (
            <a class="button" href={`/t/${tenancy.slug}/trunks`}>
              {trunks.title}
            </a>
          )}
          {isAtLeast(tenancy.role, 'admin') && (
            <button type="button" class="primary" onClick={() => setAdding(true)}>
              {words.add}
            </button>
          )}
        </>
      }
    >
      <ListState list={list} />
      {list.data && list.items.length === 0 && (
        <Empty title={words.noNumbers}>
          <p>{words.noNumbersHow}</p>
        </Empty>
      )}
      {list.items.length > 0 && (
        <div class="table-box">
          <table class="rows">
            <thead>
              <tr>
                <th scope="col">{words.number}</th>
                <th scope="col">{words.agent}</th>
                <th scope="col" class="wide-only">
                  {words.hours}
                </th>
              </tr>
            </thead>
            <tbody>
              {list.items.map(({ number, agent, hours }) => (
                <tr key={number}>
                  <th scope="row">
                    <a class="row-link" href={`/t/${tenancy.slug}/numbers/${number.slice(1)}`}>
                      {number}
                    </a>
                  </th>
                  <td>{agent ?? <span class="quiet">{words.nobody}</span>}</td>
                  <td class="wide-only">{hoursInWords(hours, words)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      <More list={list} />
      {isAdding && <AddNumberDialog onClose={() => setAdding(false)} />}
    </Page>
  );
}
