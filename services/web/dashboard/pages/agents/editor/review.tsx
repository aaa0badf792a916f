import { useQueryClient } from '@tanstack/preact-query';
import { useRef, useState } from 'preact/hooks';
import { ApiProblem } from '../../../../client/request.ts';
import type { AgentShown, Change } from '../../../account/account-api.ts';
import { useAccount, useHere } from '../../../account/use-account.ts';
import { Field } from '../../../parts/field.tsx';
import { Failed, Skeleton } from '../../../parts/states.tsx';
import { useSubmit } from '../../../parts/use-submit.ts';
import { useWords } from '../../../words/use-words.ts';
import { Diff } from '../version-page.tsx';
import type { Draft } from './draft.ts';
import { usePreview } from './preview.tsx';

interface Props {
  shown: AgentShown;
  draft: Draft;
  /** To begin with. */
  message: string;
  onBack(): void;
  onSettled(change: Change): void;
  onConflict(): void;
}

/** What would change, line by line; what it is for; and where it goes. */
export function Review({ shown, draft, message: first, onBack, onSettled, onConflict }: Props) {
  const { editor } = useWords();
  const [message, setMessage] = useState(first);
  const preview = usePreview(shown.agent, draft.text);
  const write = useWrite(shown.agent, draft, { message, onSettled, onConflict });
  const isFaulty = (preview.data?.faults.length ?? 0) > 0;
  const error = write.error ?? preview.error;
  return (
    <section class="card" aria-labelledby="review">
      <h2 id="review">{editor.review}</h2>
      {error && <Failed error={error} />}
      {preview.data ? <Diff lines={preview.data.lines} /> : <Skeleton lines={6} />}
      {isFaulty && (
        <ul class="faults">
          {preview.data?.faults.map(({ message: fault }) => (
            <li key={fault}>{fault}</li>
          ))}
        </ul>
      )}
      <Field label={editor.message} hint={editor.messageHint} maxLength={200} value={message} onValue={setMessage} />
      <p class="hint">{editor.where[shown.source?.writing ?? 'read_only']}</p>
      <div class="actions end">
        <button type="button" disabled={write.busy} onClick={onBack}>
          {editor.goOn}
        </button>
        {shown.source?.writing === 'direct' && (
          <button type="button" disabled={write.busy || isFaulty} onClick={write.commit}>
            {editor.commit}
          </button>
        )}
        <button type="button" class="primary" disabled={write.busy || isFaulty} onClick={write.propose}>
          {write.busy ? editor.writing : shown.source?.writing === 'file' ? editor.save : editor.propose}
        </button>
      </div>
    </section>
  );
}

type Outcome = Pick<Props, 'onSettled' | 'onConflict'> & { message: string };

function useWrite(agent: string, { text, fileId }: Draft, { message, onSettled, onConflict }: Outcome) {
  const { api } = useAccount();
  const { tenancy } = useHere();
  const queries = useQueryClient();
  const { current: once } = useRef(crypto.randomUUID());
  const write = (as: 'proposal' | 'commit') => async () => {
    const said = message.trim();
    const given = { prompt: text, as, ...(said ? { message: said } : {}) };
    try {
      // A request that is repeated after a lost answer writes nothing twice.
      onSettled(await api.writePrompt(tenancy.id, agent, { given, fileId, once: `${once} ${as}` }));
    } catch (fault) {
      if (!(fault instanceof ApiProblem && fault.code === 'prompt_conflict')) throw fault;
      onConflict();
    } finally {
      void queries.invalidateQueries({ queryKey: ['agent', tenancy.id, agent] });
      void queries.invalidateQueries({ queryKey: ['changes', tenancy.id, agent] });
    }
  };
  const [proposal, commit] = [useSubmit(write('proposal')), useSubmit(write('commit'))];
  return {
    busy: proposal.busy || commit.busy,
    error: proposal.error ?? commit.error,
    propose: () => void proposal.submit(),
    commit: () => void commit.submit(),
  };
}
