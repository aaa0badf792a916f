import type { Ref } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';

export interface ComposerWords {
  /** What the field is called. */
  label: string;
  placeholder: string;
  send: string;
  hint: string;
}

interface Props {
  field: Ref<HTMLTextAreaElement> & { current: HTMLTextAreaElement | null };
  words: ComposerWords;
  disabled: boolean;
  onSay(text: string): void;
}

/** The room's own limit on a text. */
const longestText = 8_000;

export function Composer({ field, words, disabled, onSay }: Props) {
  const [text, setText] = useState('');
  const form = useRef<HTMLFormElement>(null);
  const hint = useId();

  useEffect(() => field.current?.focus(), [field]);

  const submit = (event: Event) => {
    event.preventDefault();
    field.current?.focus();
    if (text.trim() === '') return;
    onSay(text.trim());
    setText('');
  };
  const onKeyDown = (event: KeyboardEvent) => {
    // Enter that confirms a word of an input method is not the end of the message.
    if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    form.current?.requestSubmit();
  };

  return (
    <form class="composer" ref={form} onSubmit={submit}>
      <textarea
        ref={field}
        rows={1}
        maxLength={longestText}
        aria-label={words.label}
        aria-describedby={hint}
        placeholder={words.placeholder}
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
        onKeyDown={onKeyDown}
      />
      <button type="submit" class="primary" disabled={disabled}>
        {words.send}
      </button>
      <p class="hint" id={hint}>
        {words.hint}
      </p>
    </form>
  );
}
