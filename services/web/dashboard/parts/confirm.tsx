import { useWords } from '../words/use-words.ts';
import { Dialog } from './dialog.tsx';
import { Failed } from './states.tsx';
import { useSubmit } from './use-submit.ts';

interface Props {
  title: string;
  how: string;
  /** What the button says that does it. */
  action: string;
  /** What the other one says: "Cancel" unless that would be taken for the action. */
  back?: string;
  send(): Promise<void>;
  onClose(): void;
}

/** What can't be taken back is asked once more. */
export function Confirm({ title, how, action, back, send, onClose }: Props) {
  const { members } = useWords();
  const { busy, error, submit } = useSubmit(send);
  return (
    <Dialog title={title} onClose={onClose}>
      <p>{how}</p>
      {error !== undefined && <Failed error={error} />}
      <div class="actions end">
        <button type="button" onClick={onClose}>
          {back ?? members.cancel}
        </button>
        <button type="button" class="danger" disabled={busy} onClick={() => void submit()}>
          {action}
        </button>
      </div>
    </Dialog>
  );
}
