import { useQuery } from '@tanstack/preact-query';
import { ApiProblem } from '../../../client/request.ts';
import { useAccount, useHere } from '../../account/use-account.ts';
import { Outcomes } from '../../parts/badge.tsx';
import { CopyButton } from '../../parts/copy-button.tsx';
import { Page } from '../../parts/page.tsx';
import { Empty, Failed, Skeleton } from '../../parts/states.tsx';
import { useWords } from '../../words/use-words.ts';
import type { TenantPageProps } from '../tenant-pages.ts';
import { Figures } from './figures.tsx';
import { Minutes } from './minutes.tsx';
import { Transcript } from './transcript.tsx';

/** So often a conversation that goes on is looked at again. */
const liveEveryMs = 2_000;

export function SessionPage({ params: { session: id = '' } }: TenantPageProps) {
  const { api } = useAccount();
  const { tenancy } = useHere();
  const { session: words } = useWords();
  const isOver = (status: string | undefined, finished: string | null | undefined) => status === 'ended' && finished;
  const details = useQuery({
    queryKey: ['session', tenancy.id, id],
    queryFn: () => api.session(tenancy.id, id),
    refetchInterval: ({ state: { data } }) => (isOver(data?.status, data?.finishedAt) ? false : liveEveryMs),
  });
  const shown = details.data;
  const messages = useQuery({
    queryKey: ['messages', tenancy.id, id],
    queryFn: () => api.messages(tenancy.id, id),
    refetchInterval: isOver(shown?.status, shown?.finishedAt) ? false : liveEveryMs,
  });
  const list = `/t/${tenancy.slug}/sessions`;
  const isMissing = details.error instanceof ApiProblem && details.error.status === 404;

  return (
    <Page
      title={words.title}
      above={
        <a class="back" href={list}>
          {words.back}
        </a>
      }
    >
      {isMissing && (
        <Empty title={words.missing}>
          <p class="quiet">{words.missingHow}</p>
        </Empty>
      )}
      {details.error && !isMissing && <Failed error={details.error} onAgain={() => void details.refetch()} />}
      {!shown && !details.error && <Skeleton lines={10} />}
      {shown && (
        <>
          <p class="session-line">
            <Outcomes status={shown.status} outcome={shown.outcome} />
            <code>{shown.id}</code>
            <CopyButton text={shown.id} label={`${words.copy}: ${words.id}`} />
          </p>
          <Figures session={shown} messages={messages.data?.items ?? []} />
          <div class="columns">
            <section class="card" aria-labelledby="said">
              <h2 id="said">{words.said}</h2>
              {messages.error && <Failed error={messages.error} onAgain={() => void messages.refetch()} />}
              {messages.data ? (
                <Transcript messages={messages.data.items} toolCalls={shown.toolCalls} />
              ) : (
                <Skeleton lines={8} />
              )}
            </section>
            <div class="stack">
              <section class="card" aria-labelledby="summary">
                <h2 id="summary">{words.summary}</h2>
                <p class={shown.summary ? '' : 'quiet'}>{shown.summary ?? summaryState(shown, words)}</p>
              </section>
              <section class="card" aria-labelledby="minutes">
                <h2 id="minutes">{words.minutes}</h2>
                <Minutes session={shown} />
              </section>
            </div>
          </div>
        </>
      )}
    </Page>
  );
}

const summaryState = (
  { status, finishedAt }: { status: string; finishedAt: string | null },
  words: { noSummary: string; summaryComes: string },
) => (status === 'ended' && finishedAt ? words.noSummary : words.summaryComes);
