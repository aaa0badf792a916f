import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';
import { useWords } from '../words/use-words.ts';

interface Props {
  title: string;
  onClose(): void;
  children: ComponentChildren;
}

/** The browser's own dialog: it keeps the focus inside, closes by Escape and gives the focus back. Shown for as long as it is mounted. */
export function Dialog({ title, onClose, children }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  const { close } = useWords();
  const id = useId();
  useEffect(() => dialog.current?.showModal(), []);
  const shut = () => dialog.current?.close();
  const onClick = (event: MouseEvent) => {
    // Beside it is the dialog itself, as the browser sees it; what is in it lies in the element within.
    if (event.target === dialog.current) shut();
  };
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape is the browser's
    <dialog ref={dialog} aria-labelledby={id} onClose={onClose} onClick={onClick}>
      <div class="dialog-body">
        <div class="dialog-head">
          <h2 id={id}>{title}</h2>
          <button type="button" class="quiet-button" aria-label={close} onClick={shut}>
            ×
          </button>
        </div>
        {children}
      </div>
    </dialog>
  );
}
