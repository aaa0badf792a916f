import { useWords } from '../words/use-words.ts';

interface Props {
  /** What the button says that does it. */
  action: string;
  /** Whether what it does can't be taken back. */
  isDangerous?: boolean;
  busy: boolean;
  onClose(): void;
}

/** The end of a form in a dialog: not after all, or do it. */
export function DialogEnd({ action, isDangerous = false, busy, onClose }: Props) {
  const { members } = useWords();
  return (
    <div class="actions end">
      <button type="button" onClick={onClose}>
        {members.cancel}
      </button>
      <button type="submit" class={isDangerous ? 'danger' : 'primary'} disabled={busy}>
        {action}
      </button>
    </div>
  );
}
