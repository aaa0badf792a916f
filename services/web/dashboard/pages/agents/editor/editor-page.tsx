import { useQuery } from '@tanstack/preact-query';
import { useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { isAtLeast } from '../../../../../contract/roles.ts';
import type { AgentShown, Change } from '../../../account/account-api.ts';
import { useAccount, useHere } from '../../../account/use-account.ts';
import { Page } from '../../../parts/page.tsx';
import { Empty, Failed, Skeleton } from '../../../parts/states.tsx';
import { useWords } from '../../../words/use-words.ts';
import type { TenantPageProps } from '../../tenant-page-props.ts';
import { Conflict } from './conflict.tsx';
import { Preview } from './preview.tsx';
import { Review } from './review.tsx';
import { useDraft } from './use-draft.ts';
import { Written } from './written.tsx';

/** After a refusal by reason of another change the API is asked for that one so often: it hears of it from the worker. */
const conflictEveryMs = 1_000;

/** The page on which a prompt is changed: written, compared, and handed to the worker, which writes it into the agent's file. */
export function EditorPage({ params: { agent = '' } }: TenantPageProps) {
  const { api } = useAccount();
  const { tenancy } = useHere();
  const { editor } = useWords();
  const { query } = useLocation();
  const [outdated, setOutdated] = useState<string>();
  const shown = useQuery({
    queryKey: ['agent', tenancy.id, agent],
    queryFn: () => api.agent(tenancy.id, agent),
    refetchInterval: ({ state: { data } }) =>
      outdated !== undefined && data?.file?.id === outdated ? conflictEveryMs : false,
  });
  const earlier = useQuery({
    queryKey: ['version', tenancy.id, agent, query.from],
    queryFn: () => api.version(tenancy.id, agent, query.from ?? ''),
    enabled: query.from !== undefined,
  });
  const error = shown.error ?? earlier.error;
  const isThere = shown.data && (query.from === undefined || earlier.data);
  return (
    <Page
      title={editor.title(shown.data?.name ?? agent)}
      intro={editor.intro}
      back={{ path: `/t/${tenancy.slug}/agents/${agent}`, title: shown.data?.name ?? agent }}
    >
      {error && <Failed error={error} onAgain={() => void (shown.error ? shown.refetch() : earlier.refetch())} />}
      {!isThere && !error && <Skeleton lines={12} />}
      {isThere && shown.data && (
        <Permitted
          shown={shown.data}
          begin={earlier.data && { text: earlier.data.prompt, message: editor.backTo(earlier.data.version) }}
          outdated={outdated}
          onConflict={setOutdated}
        />
      )}
    </Page>
  );
}

/** What the editor begins with, where that is not the file: an earlier version's prompt, and what is said of it. */
interface Beginning {
  text: string;
  message: string;
}

interface EditorProps {
  shown: AgentShown;
  begin: Beginning | undefined;
  /** Of a file that was changed since, as the worker has told. */
  outdated: string | undefined;
  onConflict(fileId: string): void;
}

function Permitted(props: EditorProps) {
  const { tenancy } = useHere();
  const { editor } = useWords();
  const { file, source } = props.shown;
  if (!isAtLeast(tenancy.role, 'editor')) return <Empty title={editor.notYours}>{editor.notYoursHow}</Empty>;
  if (source === null || source.writing === 'read_only')
    return <Empty title={editor.readOnly}>{source?.how ?? editor.noWorker}</Empty>;
  if (typeof file?.prompt !== 'string') return <Empty title={editor.unreadable}>{editor.unreadableHow}</Empty>;
  return <Editor {...props} file={{ id: file.id, prompt: file.prompt }} />;
}

function Editor({ shown, begin, outdated, onConflict, file }: EditorProps & { file: { id: string; prompt: string } }) {
  const { editor } = useWords();
  const { draft, isKept, write, drop } = useDraft(shown.agent, file, begin?.text);
  const [isReviewed, setReviewed] = useState(false);
  const [change, setChange] = useState<Change>();
  const isChanged = draft.text.trim() !== file.prompt.trim();
  const settle = (made: Change) => {
    if (made.problem?.code === 'prompt_conflict') return conflict();
    drop();
    setChange(made);
  };
  const conflict = () => {
    setChange(undefined);
    setReviewed(false);
    onConflict(draft.fileId);
  };
  if (change) return <Written change={change} onConflict={conflict} />;
  if (outdated === file.id)
    return (
      <section class="card" aria-busy="true">
        <p role="status">{editor.readingTheirs}</p>
        <Skeleton lines={4} />
      </section>
    );
  const isBehind = draft.fileId !== file.id && isChanged;
  if (isBehind)
    return (
      <Conflict
        agent={shown.agent}
        theirs={file.prompt}
        mine={draft.text}
        onKeepMine={() => write({ ...draft, fileId: file.id })}
        onTakeTheirs={drop}
      />
    );
  if (isReviewed)
    return (
      <Review
        shown={shown}
        draft={draft}
        message={begin?.message ?? ''}
        onBack={() => setReviewed(false)}
        onSettled={settle}
        onConflict={conflict}
      />
    );
  return (
    <div class="columns">
      <section class="card" aria-labelledby="text">
        <div class="card-head">
          <h2 id="text">{editor.text}</h2>
          {isKept && isChanged && (
            <>
              <span class="quiet">{editor.kept}</span>
              <button type="button" class="small-button" onClick={drop}>
                {editor.drop}
              </button>
            </>
          )}
        </div>
        <textarea
          class="prompt-text"
          aria-label={editor.text}
          rows={24}
          maxLength={32_000}
          spellcheck
          value={draft.text}
          onInput={(event) => write({ ...draft, text: event.currentTarget.value })}
        />
        <p class="hint">{editor.variables}</p>
        <div class="actions end">
          <button
            type="button"
            class="primary"
            disabled={!isChanged || draft.text.trim() === ''}
            onClick={() => setReviewed(true)}
          >
            {editor.review}
          </button>
        </div>
      </section>
      <Preview shown={shown} text={draft.text} />
    </div>
  );
}
