import { useQuery, useQueryClient } from '@tanstack/preact-query';
import { useState } from 'preact/hooks';
import { isAtLeast } from '../../../../contract/roles.ts';
import type { CallShown } from '../../account/account-api.ts';
import { useAccount, useHere } from '../../account/use-account.ts';
import { useAnnounce } from '../../parts/announcements.tsx';
import { Confirm } from '../../parts/confirm.tsx';
import { Fact } from '../../parts/fact.tsx';
import { Page } from '../../parts/page.tsx';
import { Failed, Skeleton } from '../../parts/states.tsx';
import { When } from '../../parts/when.tsx';
import { useWords } from '../../words/use-words.ts';
import type { TenantPageProps } from '../tenant-page-props.ts';
import { CallBadge } from './call-badge.tsx';

/** While a call goes on it is looked at so often. */
const underWayEveryMs = 2_000;
const notAnswered: readonly CallShown['state'][] = ['queued', 'dialing', 'ringing'];
const isUnderWay = ({ state }: CallShown): boolean => notAnswered.includes(state) || state === 'answered';

export function CallPage({ params: { call: id = '' } }: TenantPageProps) {
  const { api } = useAccount();
  const { tenancy } = useHere();
  const { telephone: words } = useWords();
  const [isAsking, setAsking] = useState(false);
  const { data, error, refetch } = useQuery({
    queryKey: ['call', tenancy.id, id],
    queryFn: () => api.call(tenancy.id, id),
    refetchInterval: ({ state }) => (state.data && isUnderWay(state.data) ? underWayEveryMs : false),
  });
  const mayCancel = data !== undefined && notAnswered.includes(data.state) && isAtLeast(tenancy.role, 'editor');
  return (
    <Page
      title={words.call}
      back={{ path: `/t/${tenancy.slug}/calls`, title: words.calls }}
      actions={
        mayCancel && (
          <button type="button" class="danger" onClick={() => setAsking(true)}>
            {words.stop}
          </button>
        )
      }
    >
      {error && <Failed error={error} onAgain={() => void refetch()} />}
      {!data && !error && <Skeleton />}
      {data && <CallFacts call={data} />}
      {isAsking && <CancelDialog id={id} onClose={() => setAsking(false)} />}
    </Page>
  );
}

function CallFacts({ call }: { call: CallShown }) {
  const { tenancy } = useHere();
  const { telephone: words } = useWords();
  return (
    <>
      <p class="session-line">
        <CallBadge state={call.state} />
        {call.sessionId && <a href={`/t/${tenancy.slug}/sessions/${call.sessionId}`}>{words.toSession}</a>}
      </p>
      <dl class="facts">
        <Fact name={words.from}>{call.from}</Fact>
        <Fact name={words.to}>{call.to}</Fact>
        <Fact name={words.agent}>{call.agent}</Fact>
        <Fact name={words.asked}>
          <When at={call.askedAt} />
        </Fact>
        {call.answeredAt && (
          <Fact name={words.answered}>
            <When at={call.answeredAt} />
          </Fact>
        )}
        {call.endedAt && (
          <Fact name={words.ended}>
            <When at={call.endedAt} />
          </Fact>
        )}
        {call.hangupBy && <Fact name={words.hungUp}>{words.hangUps[call.hangupBy]}</Fact>}
        {call.refusedBecause && (
          <Fact name={words.because}>
            <code>{call.refusedBecause}</code>
          </Fact>
        )}
        {call.sipCode !== null && <Fact name={words.sipCode}>{call.sipCode}</Fact>}
      </dl>
    </>
  );
}

function CancelDialog({ id, onClose }: { id: string; onClose(): void }) {
  const { api } = useAccount();
  const { tenancy } = useHere();
  const { telephone: words } = useWords();
  const queries = useQueryClient();
  const announce = useAnnounce();
  const send = async () => {
    await api.cancelCall(tenancy.id, id);
    await queries.invalidateQueries({ queryKey: ['call', tenancy.id, id] });
    await queries.invalidateQueries({ queryKey: ['calls', tenancy.id] });
    announce(words.stopped);
    onClose();
  };
  return (
    <Confirm
      title={words.stopTitle}
      how={words.stopHow}
      action={words.stop}
      back={words.goOn}
      send={send}
      onClose={onClose}
    />
  );
}
