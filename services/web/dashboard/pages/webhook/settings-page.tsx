import { useQuery } from '@tanstack/preact-query';
import { useState } from 'preact/hooks';
import { isAtLeast } from '../../../../contract/roles.ts';
import type { Change, WebhookShown, WebhookUrl } from '../../account/account-api.ts';
import { useAccount, useHere } from '../../account/use-account.ts';
import { Page } from '../../parts/page.tsx';
import { Empty, Failed, Skeleton } from '../../parts/states.tsx';
import { useWords } from '../../words/use-words.ts';
import { type HandedOver, HandOver } from '../agents/editor/hand-over.tsx';
import { KeepOrTake } from '../agents/editor/keep-or-take.tsx';
import { Written } from '../agents/editor/written.tsx';
import { Diff } from '../agents/version-page.tsx';
import type { TenantPageProps } from '../tenant-page-props.ts';
import { type AddressChoice, choiceOf, isSameUrl, lineOf, urlOf } from './address.ts';
import { AddressForm } from './address-form.tsx';

/** After a refusal by reason of another change the API is asked for that one so often: it hears of it from the worker. */
const conflictEveryMs = 1_000;

/** Where an agent's finished conversations go: chosen, compared, and handed to the worker, which writes it into the agent's file. */
export function SettingsPage({ params: { agent = '' } }: TenantPageProps) {
  const { api } = useAccount();
  const { tenancy } = useHere();
  const { webhook: words } = useWords();
  const [outdated, setOutdated] = useState<string>();
  const mayRead = isAtLeast(tenancy.role, 'admin');
  const { data, error, refetch } = useQuery({
    queryKey: ['webhook', tenancy.id, agent],
    queryFn: () => api.webhook(tenancy.id, agent),
    enabled: mayRead,
    refetchInterval: ({ state }) =>
      outdated !== undefined && state.data?.file?.id === outdated ? conflictEveryMs : false,
  });
  return (
    <Page
      title={words.settingsOf(agent)}
      intro={words.settingsIntro}
      back={{ path: `/t/${tenancy.slug}/webhook`, title: words.title }}
    >
      {!mayRead && <Empty title={words.notYoursToSet} />}
      {error && <Failed error={error} onAgain={() => void refetch()} />}
      {mayRead && !data && !error && <Skeleton lines={6} />}
      {data && <Permitted shown={data} outdated={outdated} onConflict={setOutdated} />}
    </Page>
  );
}

interface Props {
  shown: WebhookShown;
  /** Of a file that was changed since, as the worker has told. */
  outdated: string | undefined;
  onConflict(fileId: string): void;
}

function Permitted(props: Props) {
  const { editor, webhook: words } = useWords();
  const { file, source } = props.shown;
  if (source === null || source.writing === 'read_only')
    return <Empty title={words.readOnly}>{source?.how ?? editor.noWorker}</Empty>;
  if (file?.url === undefined) return <Empty title={editor.unreadable}>{words.unreadableHow}</Empty>;
  return <Settings {...props} writing={source.writing} file={{ id: file.id, url: file.url }} />;
}

interface SettingsProps extends Props {
  writing: NonNullable<WebhookShown['source']>['writing'];
  file: { id: string; url: WebhookUrl };
}

function Settings({ shown, outdated, onConflict, writing, file }: SettingsProps) {
  const { api } = useAccount();
  const { tenancy } = useHere();
  const { editor } = useWords();
  /** The file that the person had before them when they chose. */
  const [base, setBase] = useState(file);
  const [choice, setChoice] = useState<AddressChoice>();
  const [isReviewed, setReviewed] = useState(false);
  const [change, setChange] = useState<Change>();
  const wanted = choice && urlOf(choice);
  const conflict = () => {
    setChange(undefined);
    setReviewed(false);
    onConflict(base.id);
  };
  const settle = (made: Change) => {
    if (made.problem?.code === 'prompt_conflict') conflict();
    else setChange(made);
  };
  if (change) return <Outcome change={change} onConflict={conflict} onAgain={() => setChange(undefined)} />;
  if (outdated === file.id) return <p role="status">{editor.readingTheirs}</p>;
  if (wanted !== undefined && base.id !== file.id)
    return (
      <Conflict
        theirs={file.url}
        mine={wanted}
        onKeepMine={() => setBase(file)}
        onTakeTheirs={() => {
          setBase(file);
          setChoice(undefined);
        }}
      />
    );
  if (isReviewed && wanted !== undefined)
    return (
      <section class="card" aria-labelledby="review">
        <h2 id="review">{editor.review}</h2>
        <UrlDiff before={file.url} after={wanted} />
        <HandOver
          {...{ agent: shown.agent, writing, message: '', isRefused: false }}
          send={({ once, ...given }: HandedOver) =>
            api.writeWebhook(tenancy.id, shown.agent, {
              ...{ given: { ...given, ...(wanted === null ? {} : { url: wanted }) }, fileId: base.id, once },
            })
          }
          onBack={() => setReviewed(false)}
          onSettled={settle}
          onConflict={conflict}
        />
      </section>
    );
  return (
    <AddressForm
      choice={choice ?? choiceOf(file.url)}
      isChanged={wanted !== undefined && !isSameUrl(wanted, file.url)}
      onChoice={(chosen) => {
        // From the first choice on it is this file that the person has before them.
        if (!choice) setBase(file);
        setChoice(chosen);
      }}
      onReview={() => setReviewed(true)}
    />
  );
}

/** What became of it; what was refused is mended where it was written. */
function Outcome({ change, onConflict, onAgain }: { change: Change; onConflict(): void; onAgain(): void }) {
  const { editor } = useWords();
  return (
    <>
      <Written change={change} onConflict={onConflict} />
      {change.state === 'refused' && (
        <div class="actions">
          <button type="button" onClick={onAgain}>
            {editor.goOn}
          </button>
        </div>
      )}
    </>
  );
}

function UrlDiff({ before, after }: { before: WebhookUrl; after: WebhookUrl }) {
  const lines = [
    ...[lineOf(before)].filter((text) => text !== undefined).map((text) => ({ kind: 'removed' as const, text })),
    ...[lineOf(after)].filter((text) => text !== undefined).map((text) => ({ kind: 'added' as const, text })),
  ];
  return <Diff lines={lines} />;
}

interface ConflictProps {
  theirs: WebhookUrl;
  mine: WebhookUrl;
  onKeepMine(): void;
  onTakeTheirs(): void;
}

/** Somebody else was faster: what the file says by now, and which of both it goes on with. */
function Conflict({ theirs, mine, onKeepMine, onTakeTheirs }: ConflictProps) {
  const { editor } = useWords();
  return (
    <section class="card" aria-labelledby="conflict">
      <div role="alert">
        <h2 id="conflict">{editor.conflict}</h2>
        <p>{editor.conflictHow}</p>
      </div>
      <h3>{editor.between}</h3>
      <UrlDiff before={theirs} after={mine} />
      <KeepOrTake {...{ onKeepMine, onTakeTheirs }} />
    </section>
  );
}
