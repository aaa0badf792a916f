import { useQuery, useQueryClient } from '@tanstack/preact-query';
import { useState } from 'preact/hooks';
import { isAtLeast } from '../../../../contract/roles.ts';
import { ApiProblem } from '../../../client/request.ts';
import type { ConversationEvents, Draft, Message, SessionShown } from '../../account/account-api.ts';
import { useAccount, useHere } from '../../account/use-account.ts';
import { useLive } from '../../account/use-live.ts';
import { Badge, Outcomes } from '../../parts/badge.tsx';
import { CopyButton } from '../../parts/copy-button.tsx';
import { Page } from '../../parts/page.tsx';
import { Empty, Failed, Skeleton } from '../../parts/states.tsx';
import { named, useWords } from '../../words/use-words.ts';
import type { TenantPageProps } from '../tenant-page-props.ts';
import { Actions } from './actions.tsx';
import { Collected } from './collected.tsx';
import { Figures } from './figures.tsx';
import { Minutes } from './minutes.tsx';
import { Transcript } from './transcript.tsx';

/** Between the end of a conversation and its summary it is looked at so often. */
const unfinishedEveryMs = 2_000;

export function SessionPage({ params: { session: id = '' } }: TenantPageProps) {
  const { api } = useAccount();
  const { tenancy } = useHere();
  const { session: words } = useWords();
  const details = useQuery({
    queryKey: ['session', tenancy.id, id],
    queryFn: () => api.session(tenancy.id, id),
    refetchInterval: ({ state: { data } }) => (isUnfinished(data) ? unfinishedEveryMs : false),
  });
  const shown = details.data;
  const isMissing = details.error instanceof ApiProblem && details.error.status === 404;
  return (
    <Page
      title={shown ? words.with(shown.agent) : words.title}
      back={{ path: `/t/${tenancy.slug}/sessions`, title: words.back }}
      actions={shown && isAtLeast(tenancy.role, 'editor') && <Actions session={shown} />}
    >
      {isMissing && (
        <Empty title={words.missing}>
          <p class="quiet">{words.missingHow}</p>
        </Empty>
      )}
      {details.error && !isMissing && <Failed error={details.error} onAgain={() => void details.refetch()} />}
      {!shown && !details.error && <Skeleton lines={10} />}
      {shown && <Shown session={shown} />}
    </Page>
  );
}

const isUnfinished = (session: SessionShown | undefined) => session?.status === 'ended' && session.finishedAt === null;

function Shown({ session }: { session: SessionShown }) {
  const { session: words } = useWords();
  const { messages, drafts, error, refetch } = useMessages(session);
  return (
    <>
      <Line session={session} />
      <Figures session={session} messages={messages ?? []} />
      <div class="columns">
        <section class="card" aria-labelledby="said">
          <h2 id="said">{words.said}</h2>
          {error && <Failed error={error} onAgain={refetch} />}
          {messages ? (
            <Transcript messages={messages} toolCalls={session.toolCalls} drafts={drafts} />
          ) : (
            <Skeleton lines={8} />
          )}
        </section>
        <div class="stack">
          <section class="card" aria-labelledby="summary">
            <h2 id="summary">{words.summary}</h2>
            <p class={session.summary ? '' : 'quiet'}>
              {session.summary ?? (session.finishedAt ? words.noSummary : words.summaryComes)}
            </p>
          </section>
          <Collected collected={session.collected} />
          <section class="card" aria-labelledby="minutes">
            <h2 id="minutes">{words.minutes}</h2>
            <Minutes session={session} />
          </section>
        </div>
      </div>
    </>
  );
}

function Line({
  session: { id, agent, version, commit, status, outcome, channel, interactionMode, language, test },
}: {
  session: SessionShown;
}) {
  const { session: words, codes } = useWords();
  const { tenancy } = useHere();
  return (
    <p class="session-line">
      <Outcomes status={status} outcome={outcome} />
      {test && <Badge tone="busy">{words.test}</Badge>}
      <span class="quiet">
        {named(codes.channel, channel)} · {named(codes.mode, interactionMode)} · {language}
      </span>
      <a href={`/t/${tenancy.slug}/agents/${agent}/versions/${version}`}>
        <code>{version}</code>
      </a>
      {commit && (
        <span class="quiet">
          {words.commit} <code>{commit.slice(0, 12)}</code>
        </span>
      )}
      <code>{id}</code>
      <CopyButton text={id} label={`${words.copy}: ${words.id}`} />
    </p>
  );
}

/** What was said; while the conversation goes on, as it is said. */
function useMessages({ id, status }: SessionShown) {
  const { api } = useAccount();
  const { tenancy } = useHere();
  const queries = useQueryClient();
  const isLive = status !== 'ended';
  const [heard, setHeard] = useState<Message[]>([]);
  const [drafts, setDrafts] = useState<Draft[]>([]);
  const read = useQuery({
    queryKey: ['messages', tenancy.id, id],
    queryFn: () => api.messages(tenancy.id, id),
    enabled: !isLive,
  });
  const readAgain = () => void queries.invalidateQueries({ queryKey: ['session', tenancy.id, id] });
  useLive<ConversationEvents>(
    `/api/tenants/${tenancy.id}/sessions/${id}/live`,
    (event, data) => {
      if (event === 'message') {
        const message = data as Message;
        setHeard((before) => [...before.filter(({ sequence }) => sequence !== message.sequence), message]);
        setDrafts((before) => before.filter(({ turn }) => turn !== message.turn));
      } else if (event === 'draft') {
        const draft = data as Draft;
        setDrafts((before) => [...before.filter(({ turn }) => turn !== draft.turn), draft]);
      }
      // Tools, presence and figures are not in the stream.
      if (event !== 'draft') readAgain();
      return event === 'ended';
    },
    isLive,
  );
  const messages = read.data ?? (heard.length > 0 || isLive ? heard : undefined);
  return { messages, drafts: isLive ? drafts : [], error: read.error, refetch: () => void read.refetch() };
}
