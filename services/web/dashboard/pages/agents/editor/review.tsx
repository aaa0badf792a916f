import type { AgentShown, Change } from '../../../account/account-api.ts';
import { useAccount, useHere } from '../../../account/use-account.ts';
import { Failed, Skeleton } from '../../../parts/states.tsx';
import { useWords } from '../../../words/use-words.ts';
import { Diff } from '../version-page.tsx';
import type { Draft } from './draft.ts';
import { type HandedOver, HandOver } from './hand-over.tsx';
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
export function Review({ shown, draft, message, onBack, onSettled, onConflict }: Props) {
  const { api } = useAccount();
  const { tenancy } = useHere();
  const { editor } = useWords();
  const preview = usePreview(shown.agent, draft.text);
  const isFaulty = (preview.data?.faults.length ?? 0) > 0;
  const send = ({ once, ...given }: HandedOver) =>
    api.writePrompt(tenancy.id, shown.agent, { given: { prompt: draft.text, ...given }, fileId: draft.fileId, once });
  return (
    <section class="card" aria-labelledby="review">
      <h2 id="review">{editor.review}</h2>
      {preview.error && <Failed error={preview.error} />}
      {preview.data ? <Diff lines={preview.data.lines} /> : <Skeleton lines={6} />}
      {isFaulty && (
        <ul class="faults">
          {preview.data?.faults.map(({ message: fault }) => (
            <li key={fault}>{fault}</li>
          ))}
        </ul>
      )}
      <HandOver
        agent={shown.agent}
        writing={shown.source?.writing ?? 'read_only'}
        message={message}
        isRefused={isFaulty}
        send={send}
        onBack={onBack}
        onSettled={onSettled}
        onConflict={onConflict}
      />
    </section>
  );
}
