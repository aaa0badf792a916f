import { useQuery, useQueryClient } from '@tanstack/preact-query';
import { useRef, useState } from 'preact/hooks';
import { isAtLeast } from '../../../../contract/roles.ts';
import type { TrunkShown } from '../../account/account-api.ts';
import { useAccount, useHere } from '../../account/use-account.ts';
import { useAnnounce } from '../../parts/announcements.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { DialogEnd } from '../../parts/dialog-end.tsx';
import { Field } from '../../parts/field.tsx';
import { Page } from '../../parts/page.tsx';
import { Empty, Failed, Skeleton } from '../../parts/states.tsx';
import { useSubmit } from '../../parts/use-submit.ts';
import { useWords } from '../../words/use-words.ts';
import { givenOf, noTrunk } from './trunk-draft.ts';
import { TrunkFields } from './trunk-fields.tsx';

/** The ways to carriers. */
export function TrunksPage() {
  const { tenancy } = useHere();
  const { telephone, trunks: words } = useWords();
  const [isAdding, setAdding] = useState(false);
  const mayRead = isAtLeast(tenancy.role, 'admin');
  return (
    <Page
      title={words.title}
      intro={words.intro}
      back={{ path: `/t/${tenancy.slug}/numbers`, title: telephone.numbers }}
      actions={
        mayRead && (
          <button type="button" class="primary" onClick={() => setAdding(true)}>
            {words.add}
          </button>
        )
      }
    >
      {mayRead ? <Trunks /> : <Empty title={words.notYours} />}
      {isAdding && <AddDialog onClose={() => setAdding(false)} />}
    </Page>
  );
}

function Trunks() {
  const { api } = useAccount();
  const { tenancy } = useHere();
  const { telephone, trunks: words } = useWords();
  const { data, error, refetch } = useQuery({
    queryKey: ['trunks', tenancy.id],
    queryFn: () => api.trunks(tenancy.id),
  });
  if (error) return <Failed error={error} onAgain={() => void refetch()} />;
  if (!data) return <Skeleton />;
  if (data.items.length === 0) return <Empty title={words.none}>{words.noneHow}</Empty>;
  return (
    <div class="table-box">
      <table class="rows">
        <thead>
          <tr>
            <th scope="col">{words.name}</th>
            <th scope="col">{words.address}</th>
            <th scope="col" class="wide-only">
              {words.callsIn}
            </th>
            <th scope="col" class="wide-only">
              {words.callsOut}
            </th>
            <th scope="col" class="wide-only">
              {telephone.managedBy}
            </th>
          </tr>
        </thead>
        <tbody>
          {data.items.map((trunk) => (
            <tr key={trunk.id}>
              <th scope="row">
                <a class="row-link" href={`/t/${tenancy.slug}/trunks/${trunk.id}`}>
                  {trunk.name}
                </a>
              </th>
              <td>{trunk.address}</td>
              <td class="wide-only">
                {trunk.username === null ? trunk.allowedAddresses.join(', ') : words.byPassword}
              </td>
              <td class="wide-only">{opensOutwards(trunk) ? trunk.allowedPrefixes.join(', ') : words.closed}</td>
              <td class="wide-only">{telephone.managers[trunk.managedBy]}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

const opensOutwards = (trunk: TrunkShown): boolean =>
  trunk.allowedPrefixes.length > 0 &&
  [trunk.maxDialsPerMinute, trunk.maxCallsPerDay, trunk.maxMinutesPerDay].every((limit) => limit > 0);

function AddDialog({ onClose }: { onClose(): void }) {
  const { api } = useAccount();
  const { tenancy } = useHere();
  const { trunks: words } = useWords();
  const queries = useQueryClient();
  const announce = useAnnounce();
  const { current: once } = useRef(crypto.randomUUID());
  const [name, setName] = useState('');
  const [draft, setDraft] = useState(noTrunk);
  const { busy, error, submit } = useSubmit(async () => {
    await api.addTrunk(tenancy.id, { name: name.trim(), ...givenOf(draft) }, once);
    await queries.invalidateQueries({ queryKey: ['trunks', tenancy.id] });
    announce(words.added(name));
    onClose();
  });
  return (
    <Dialog title={words.add} onClose={onClose}>
      <form class="form" onSubmit={(event) => void submit(event)}>
        <Field label={words.name} required maxLength={100} value={name} onValue={setName} />
        <TrunkFields draft={draft} onDraft={setDraft} />
        {error !== undefined && <Failed error={error} />}
        <DialogEnd action={words.add} {...{ busy, onClose }} />
      </form>
    </Dialog>
  );
}
