import type { RefObject } from 'preact';
import { useLayoutEffect, useState } from 'preact/hooks';
import { mayBeStopped } from '../conversation/state.ts';
import type { Act } from './act.ts';
import { Icon } from './icons.tsx';
import type { Shown } from './shown.ts';

interface Props {
  shown: Shown;
  act: Act;
  field: RefObject<HTMLTextAreaElement | null>;
}

/** The room's own limit on a text. */
const longestText = 8_000;
const tallestPx = 132;

export function Composer({ shown: { state, texts, settings, isOpen }, act, field }: Props) {
  const [text, setText] = useState('');
  const isEmpty = text.trim() === '';
  const mayWrite = settings.mode !== 'voice';
  // Aloud it stands beside the microphone.
  const mayStop = state.microphone === 'off' && mayBeStopped(state);
  const maySpeak = settings.mode !== 'text' && state.microphone === 'off';

  // Grows with what is written. Set as a property: a page's policy may forbid the attribute.
  useLayoutEffect(() => {
    const area = field.current;
    // What is hidden has no height.
    if (!area || !isOpen) return;
    area.style.setProperty('height', 'auto');
    area.style.setProperty('height', `${Math.min(area.scrollHeight, tallestPx)}px`);
  }, [text, field, isOpen]);

  const submit = (event: Event) => {
    event.preventDefault();
    field.current?.focus();
    if (isEmpty) return;
    act.say(text.trim());
    setText('');
  };
  const onKeyDown = (event: KeyboardEvent) => {
    // Enter that confirms a word of an input method is not the end of the message.
    if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
    submit(event);
  };

  if (!mayWrite) {
    if (!maySpeak) return null;
    return (
      <div class="composer only">
        <button type="button" class="primary speak" onClick={() => void act.speak()}>
          <Icon name="microphone" /> {texts.speak}
        </button>
      </div>
    );
  }
  return (
    <form class="composer" onSubmit={submit}>
      <textarea
        ref={field}
        rows={1}
        // Empty it stands as the words around it do.
        {...(isEmpty ? {} : { dir: 'auto' })}
        maxLength={longestText}
        aria-label={texts.placeholder}
        placeholder={texts.placeholder}
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
        onKeyDown={onKeyDown}
      />
      {mayStop && (
        <button
          type="button"
          class="round"
          aria-label={texts.stop}
          title={texts.stop}
          onClick={() => {
            act.interrupt();
            field.current?.focus();
          }}
        >
          <Icon name="stop" />
        </button>
      )}
      {maySpeak && (
        <button
          type="button"
          class="round"
          aria-label={texts.speak}
          title={texts.speak}
          onClick={() => void act.speak()}
        >
          <Icon name="microphone" />
        </button>
      )}
      <button type="submit" class="round send" aria-label={texts.send} title={texts.send} aria-disabled={isEmpty}>
        <Icon name="send" />
      </button>
    </form>
  );
}
