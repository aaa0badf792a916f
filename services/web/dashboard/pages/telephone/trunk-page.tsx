import { useQuery, useQueryClient } from '@tanstack/preact-query';
import { useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import type { TrunkShown } from '../../account/account-api.ts';
import { useAccount, useHere } from '../../account/use-account.ts';
import { useAnnounce } from '../../parts/announcements.tsx';
import { Confirm } from '../../parts/confirm.tsx';
import { Page } from '../../parts/page.tsx';
import { Failed, Skeleton } from '../../parts/states.tsx';
import { useSubmit } from '../../parts/use-submit.ts';
import { useWords } from '../../words/use-words.ts';
import type { TenantPageProps } from '../tenant-page-props.ts';
import { changeOf, draftOf } from './trunk-draft.ts';
import { TrunkFields } from './trunk-fields.tsx';

/** A way to a carrier: what may come in by it, and what may go out. */
export function TrunkPage({ params: { trunk: id = '' } }: TenantPageProps) {
  const { api } = useAccount();
  const { tenancy } = useHere();
  const { trunks: words } = useWords();
  const [isAsking, setAsking] = useState(false);
  const { data, error, refetch } = useQuery({
    queryKey: ['trunk', tenancy.id, id],
    queryFn: () => api.trunk(tenancy.id, id),
  });
  const mayChange = data?.shown.managedBy === 'person';
  return (
    <Page
      title={data?.shown.name ?? words.title}
      back={{ path: `/t/${tenancy.slug}/trunks`, title: words.title }}
      actions={
        mayChange && (
          <button type="button" class="danger" onClick={() => setAsking(true)}>
            {words.remove}
          </button>
        )
      }
    >
      {error && <Failed error={error} onAgain={() => void refetch()} />}
      {!data && !error && <Skeleton />}
      {data && !mayChange && <p>{words.theStacks}</p>}
      {data && <TrunkForm key={data.etag} read={data} mayChange={mayChange} />}
      {isAsking && data && <RemoveDialog trunk={data.shown} onClose={() => setAsking(false)} />}
    </Page>
  );
}

function TrunkForm({
  read: { shown, etag },
  mayChange,
}: {
  read: { shown: TrunkShown; etag: string };
  mayChange: boolean;
}) {
  const { api } = useAccount();
  const { tenancy } = useHere();
  const { trunks: words } = useWords();
  const queries = useQueryClient();
  const announce = useAnnounce();
  const [draft, setDraft] = useState(() => draftOf(shown));
  const { busy, error, submit } = useSubmit(async () => {
    await api.changeTrunk(tenancy.id, shown.id, { etag, given: changeOf(draft) });
    await queries.invalidateQueries({ queryKey: ['trunks', tenancy.id] });
    await queries.invalidateQueries({ queryKey: ['trunk', tenancy.id, shown.id] });
    announce(words.saved(shown.name));
  });
  return (
    <form class="card form" aria-label={shown.name} onSubmit={(event) => void submit(event)}>
      <fieldset class="form" disabled={!mayChange}>
        <TrunkFields draft={draft} onDraft={setDraft} />
      </fieldset>
      {error !== undefined && <Failed error={error} />}
      {mayChange && (
        <div class="actions end">
          <button type="submit" class="primary" disabled={busy}>
            {words.save}
          </button>
        </div>
      )}
    </form>
  );
}

function RemoveDialog({ trunk: { id, name }, onClose }: { trunk: TrunkShown; onClose(): void }) {
  const { api } = useAccount();
  const { tenancy } = useHere();
  const { trunks: words } = useWords();
  const { route } = useLocation();
  const queries = useQueryClient();
  const announce = useAnnounce();
  const send = async () => {
    await api.removeTrunk(tenancy.id, id);
    await queries.invalidateQueries({ queryKey: ['trunks', tenancy.id] });
    announce(words.removed(name));
    route(`/t/${tenancy.slug}/trunks`, true);
  };
  return <Confirm {...{ title: words.removeTitle(name), how: words.removeHow, action: words.remove, send, onClose }} />;
}
