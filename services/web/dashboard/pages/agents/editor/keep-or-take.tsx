import { useWords } from '../../../words/use-words.ts';

/** After a conflict: which of both it goes on with. */
export function KeepOrTake({ onKeepMine, onTakeTheirs }: { onKeepMine(): void; onTakeTheirs(): void }) {
  const { editor } = useWords();
  return (
    <div class="actions end">
      <button type="button" onClick={onTakeTheirs}>
        {editor.takeTheirs}
      </button>
      <button type="button" class="primary" onClick={onKeepMine}>
        {editor.keepMine}
      </button>
    </div>
  );
}
