import { useEffect, useRef, useState } from 'preact/hooks';
import { bestEffort } from '../../../client/best-effort.ts';
import type { State } from '../conversation/state.ts';
import { isLive } from '../conversation/state.ts';
import type { Texts } from '../texts/en.ts';
import type { Act } from './act.ts';
import { Icon } from './icons.tsx';
import { useKeys } from './keys.ts';
import type { Shown } from './shown.ts';
import { situationText } from './wording.ts';

export function Header({ shown, act }: { shown: Shown; act: Act }) {
  const { state, texts, title, settings, isInline } = shown;
  const line = situationText(state, texts) || settings.subtitle;
  return (
    <header>
      <span class="face" aria-hidden="true" data-present={state.agent !== undefined}>
        {[...title.trim()][0]?.toUpperCase()}
      </span>
      <div class="names">
        <h2 id="parley-title" dir="auto">
          {title}
        </h2>
        {line && <p dir="auto">{line}</p>}
      </div>
      <Menu state={state} texts={texts} act={act} />
      {!isInline && (
        <button type="button" class="head" aria-label={texts.close} title={texts.close} onClick={act.close}>
          <Icon name="close" />
        </button>
      )}
    </header>
  );
}

function Menu({ state, texts, act }: { state: State; texts: Texts; act: Act }) {
  const [isOpen, setOpen] = useState(false);
  const [isCopied, setCopied] = useState(false);
  const box = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const hasWords = state.entries.length > 0;

  useEffect(() => {
    if (!isOpen) return;
    box.current?.querySelector('button')?.focus();
    const root = box.current?.getRootNode();
    const leave = (event: Event) => {
      if (!event.composedPath().includes(box.current as EventTarget)) setOpen(false);
    };
    root?.addEventListener('pointerdown', leave);
    return () => root?.removeEventListener('pointerdown', leave);
  }, [isOpen]);
  useKeys(box, (event) => {
    if (event.key !== 'Escape' || !isOpen) return;
    // The menu alone is closed.
    event.stopPropagation();
    setOpen(false);
    button.current?.focus();
  });
  if (!hasWords && !isLive(state)) return null;

  const choose = (what: () => unknown) => () => {
    void what();
    setOpen(false);
    button.current?.focus();
  };
  const copy = async () => {
    await bestEffort('a page may forbid it', copyText(transcriptText(state, texts)));
    setCopied(true);
    setTimeout(() => setCopied(false), 2_000);
  };
  return (
    <div class="menu" ref={box}>
      <button
        type="button"
        class="head"
        ref={button}
        aria-label={texts.menu}
        title={texts.menu}
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        <Icon name="more" />
      </button>
      <span class="unseen" role="status">
        {isCopied ? texts.copied : ''}
      </span>
      {isOpen && (
        <div class="choices">
          {hasWords && (
            <button type="button" onClick={choose(copy)}>
              <Icon name="copy" /> {texts.copy}
            </button>
          )}
          {isLive(state) && (
            <button type="button" onClick={choose(act.end)}>
              <Icon name="end" /> {texts.end}
            </button>
          )}
          {!isLive(state) && (
            <button type="button" onClick={choose(act.clear)}>
              <Icon name="fresh" /> {texts.newConversation}
            </button>
          )}
        </div>
      )}
    </div>
  );
}

const transcriptText = ({ entries }: State, texts: Texts): string =>
  entries.map(({ from, text }) => `${from === 'agent' ? texts.agent : texts.you}: ${text}`).join('\n\n');

/** A page without https has no clipboard of its own. */
async function copyText(text: string): Promise<void> {
  if (navigator.clipboard) return navigator.clipboard.writeText(text);
  const area = document.createElement('textarea');
  area.value = text;
  document.body.append(area);
  area.select();
  document.execCommand('copy');
  area.remove();
}
