import { useQueryClient } from '@tanstack/preact-query';
import { useState } from 'preact/hooks';
import { isAtLeast } from '../../../../contract/roles.ts';
import { useAccount, useHere } from '../../account/use-account.ts';
import { useAnnounce } from '../../parts/announcements.tsx';
import { Confirm } from '../../parts/confirm.tsx';
import { Field } from '../../parts/field.tsx';
import { ListState, More, useList } from '../../parts/list.tsx';
import { Page } from '../../parts/page.tsx';
import { Empty, Failed } from '../../parts/states.tsx';
import { useSubmit } from '../../parts/use-submit.ts';
import { When } from '../../parts/when.tsx';
import { useWords } from '../../words/use-words.ts';
import { numberWritten } from './number-written.ts';

/** Who asked not to be called. Editors note numbers; who they are is for admins. */
export function OptOutsPage() {
  const { tenancy } = useHere();
  const { optOuts: words, telephone } = useWords();
  return (
    <Page title={words.title} intro={words.intro} back={{ path: `/t/${tenancy.slug}/calls`, title: telephone.calls }}>
      {isAtLeast(tenancy.role, 'editor') && <AddForm />}
      {isAtLeast(tenancy.role, 'admin') ? <OptOuts /> : <Empty title={words.notYours} />}
    </Page>
  );
}

function AddForm() {
  const { api } = useAccount();
  const { tenancy } = useHere();
  const { optOuts: words } = useWords();
  const queries = useQueryClient();
  const announce = useAnnounce();
  const [number, setNumber] = useState('');
  const [why, setWhy] = useState('');
  const { busy, error, submit } = useSubmit(async () => {
    await api.optOut(tenancy.id, { number: numberWritten(number), ...(why.trim() ? { why: why.trim() } : {}) });
    await queries.invalidateQueries({ queryKey: ['opt-outs', tenancy.id] });
    announce(words.added(number));
    setNumber('');
    setWhy('');
  });
  return (
    <form class="card form" aria-label={words.add} onSubmit={(event) => void submit(event)}>
      {error !== undefined && <Failed error={error} />}
      <Field label={words.number} hint={words.numberHint} required value={number} onValue={setNumber} />
      <Field label={words.why} hint={words.whyHint} maxLength={200} value={why} onValue={setWhy} />
      <div class="actions end">
        <button type="submit" class="primary" disabled={busy}>
          {words.add}
        </button>
      </div>
    </form>
  );
}

function OptOuts() {
  const { api } = useAccount();
  const { tenancy } = useHere();
  const { optOuts: words } = useWords();
  const [removed, setRemoved] = useState<string>();
  const list = useList(['opt-outs', tenancy.id], (cursor) => api.optOuts(tenancy.id, { cursor, limit: 50 }));
  return (
    <>
      <ListState list={list} />
      {list.data && list.items.length === 0 && <Empty title={words.none}>{words.noneHow}</Empty>}
      {list.items.length > 0 && (
        <div class="table-box">
          <table class="rows">
            <thead>
              <tr>
                <th scope="col">{words.number}</th>
                <th scope="col" class="wide-only">
                  {words.since}
                </th>
                <th scope="col" class="wide-only">
                  {words.why}
                </th>
                <th scope="col">
                  <span class="visually-hidden">{words.remove}</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {list.items.map(({ number, since, why }) => (
                <tr key={number}>
                  <th scope="row">{number}</th>
                  <td class="wide-only">
                    <When at={since} />
                  </td>
                  <td class="wide-only">{why}</td>
                  <td class="actions end">
                    <button
                      type="button"
                      class="small-button"
                      aria-label={words.removeOf(number)}
                      onClick={() => setRemoved(number)}
                    >
                      {words.remove}
                    </button>
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      <More list={list} />
      {removed !== undefined && <RemoveDialog number={removed} onClose={() => setRemoved(undefined)} />}
    </>
  );
}

function RemoveDialog({ number, onClose }: { number: string; onClose(): void }) {
  const { api } = useAccount();
  const { tenancy } = useHere();
  const { optOuts: words } = useWords();
  const queries = useQueryClient();
  const announce = useAnnounce();
  const send = async () => {
    await api.optIn(tenancy.id, number);
    await queries.invalidateQueries({ queryKey: ['opt-outs', tenancy.id] });
    announce(words.removed(number));
    onClose();
  };
  return (
    <Confirm {...{ title: words.removeTitle(number), how: words.removeHow, action: words.remove, send, onClose }} />
  );
}
