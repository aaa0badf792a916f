import { useQueryClient } from '@tanstack/preact-query';
import { useRef, useState } from 'preact/hooks';
import { ApiProblem } from '../../../../client/request.ts';
import type { AgentShown, Change } from '../../../account/account-api.ts';
import { useHere } from '../../../account/use-account.ts';
import { Field } from '../../../parts/field.tsx';
import { Failed } from '../../../parts/states.tsx';
import { useSubmit } from '../../../parts/use-submit.ts';
import { useWords } from '../../../words/use-words.ts';

type Writing = NonNullable<AgentShown['source']>['writing'];

/** What goes with every change of a file. */
export interface HandedOver {
  as: 'proposal' | 'commit';
  message?: string;
  /** The Idempotency-Key. */
  once: string;
}

interface Outcome {
  send(given: HandedOver): Promise<Change>;
  onSettled(change: Change): void;
  /** The file is not the one any more that the person had before them. */
  onConflict(): void;
}

interface Props extends Outcome {
  agent: string;
  writing: Writing;
  /** To begin with. */
  message: string;
  /** What is wrong must be mended first. */
  isRefused: boolean;
  onBack(): void;
}

/** Below a change that was looked at: what it is for, and where it goes. */
export function HandOver({ agent, writing, message: first, isRefused, onBack, ...outcome }: Props) {
  const { editor } = useWords();
  const [message, setMessage] = useState(first);
  const { busy, error, propose, commit } = useWrite(agent, message.trim(), outcome);
  return (
    <>
      {error !== undefined && <Failed error={error} />}
      <Field label={editor.message} hint={editor.messageHint} maxLength={200} value={message} onValue={setMessage} />
      <p class="hint">{editor.where[writing]}</p>
      <div class="actions end">
        <button type="button" disabled={busy} onClick={onBack}>
          {editor.goOn}
        </button>
        {writing === 'direct' && (
          <button type="button" disabled={busy || isRefused} onClick={commit}>
            {editor.commit}
          </button>
        )}
        <button type="button" class="primary" disabled={busy || isRefused} onClick={propose}>
          {busy ? editor.writing : writing === 'file' ? editor.save : editor.propose}
        </button>
      </div>
    </>
  );
}

function useWrite(agent: string, message: string, { send, onSettled, onConflict }: Outcome) {
  const { tenancy } = useHere();
  const queries = useQueryClient();
  const { current: once } = useRef(crypto.randomUUID());
  const write = (as: HandedOver['as']) => async () => {
    try {
      // A request that is repeated after a lost answer writes nothing twice.
      onSettled(await send({ as, once: `${once} ${as}`, ...(message ? { message } : {}) }));
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
