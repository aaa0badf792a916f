import { useQuery, useQueryClient } from '@tanstack/preact-query';
import { useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { isAtLeast } from '../../../../contract/roles.ts';
import type { NumberShown } from '../../account/account-api.ts';
import { useAccount, useHere } from '../../account/use-account.ts';
import { useAnnounce } from '../../parts/announcements.tsx';
import { Confirm } from '../../parts/confirm.tsx';
import { Fact } from '../../parts/fact.tsx';
import { Page } from '../../parts/page.tsx';
import { Failed, Skeleton } from '../../parts/states.tsx';
import { useSubmit } from '../../parts/use-submit.ts';
import { useWords } from '../../words/use-words.ts';
import type { TenantPageProps } from '../tenant-page-props.ts';
import { AgentChoice } from './agent-choice.tsx';
import { hoursInWords } from './hours.ts';
import { HoursForm } from './hours-form.tsx';

export function NumberPage({ params: { number: digits = '' } }: TenantPageProps) {
  const { api } = useAccount();
  const { tenancy } = useHere();
  const { telephone: words } = useWords();
  const [isAsking, setAsking] = useState(false);
  const { data, error, refetch } = useQuery({
    queryKey: ['number', tenancy.id, digits],
    queryFn: () => api.number(tenancy.id, digits),
  });
  const mayChange = data?.shown.managedBy === 'person' && isAtLeast(tenancy.role, 'admin');
  return (
    <Page
      title={`+${digits}`}
      back={{ path: `/t/${tenancy.slug}/numbers`, title: words.numbers }}
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
      {data && <NumberFacts read={data} digits={digits} mayChange={mayChange} />}
      {isAsking && <RemoveDialog digits={digits} onClose={() => setAsking(false)} />}
    </Page>
  );
}

interface FactsProps {
  read: { shown: NumberShown; etag: string };
  digits: string;
  mayChange: boolean;
}

function NumberFacts({ read: { shown, etag }, digits, mayChange }: FactsProps) {
  const { api } = useAccount();
  const { tenancy } = useHere();
  const { telephone: words } = useWords();
  const queries = useQueryClient();
  const announce = useAnnounce();
  const [chosen, setChosen] = useState<string>();
  const { busy, error, submit } = useSubmit(async () => {
    await api.changeNumber(tenancy.id, digits, { etag, given: { agent: chosen ?? '' } });
    await queries.invalidateQueries({ queryKey: ['numbers', tenancy.id] });
    await queries.invalidateQueries({ queryKey: ['number', tenancy.id, digits] });
    setChosen(undefined);
    announce(words.saved(shown.number));
  });
  const agent = chosen ?? shown.agent ?? '';
  return (
    <>
      {error !== undefined && <Failed error={error} />}
      <dl class="facts">
        <Fact name={words.agent}>
          {mayChange ? (
            <form class="actions" onSubmit={(event) => void submit(event)}>
              <AgentChoice mayBeNobody={shown.agent === null} value={agent} disabled={busy} onValue={setChosen} />
              <button type="submit" disabled={busy || agent === (shown.agent ?? '')}>
                {words.save}
              </button>
            </form>
          ) : (
            (shown.agent ?? words.nobody)
          )}
        </Fact>
        <Fact name={words.language}>{shown.language ?? words.theAgents}</Fact>
        <Fact name={words.hours}>{hoursInWords(shown.hours, words)}</Fact>
        {shown.hours !== 'always' && <Fact name={words.refused}>{words.refusals[shown.whenRefused]}</Fact>}
        <Fact name={words.managedBy}>{words.managers[shown.managedBy]}</Fact>
      </dl>
      {mayChange && <HoursForm key={etag} read={{ shown, etag }} digits={digits} />}
    </>
  );
}

function RemoveDialog({ digits, onClose }: { digits: string; onClose(): void }) {
  const { api } = useAccount();
  const { tenancy } = useHere();
  const { telephone: words } = useWords();
  const { route } = useLocation();
  const queries = useQueryClient();
  const announce = useAnnounce();
  const send = async () => {
    await api.removeNumber(tenancy.id, digits);
    await queries.invalidateQueries({ queryKey: ['numbers', tenancy.id] });
    announce(words.removed(`+${digits}`));
    route(`/t/${tenancy.slug}/numbers`, true);
  };
  return (
    <Confirm
      title={words.removeTitle(`+${digits}`)}
      how={words.removeHow}
      action={words.remove}
      send={send}
      onClose={onClose}
    />
  );
}
