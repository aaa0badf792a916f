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

/** How long the person reads what became of it. */
const toldMs = 2_500;

export function Header({ shown, act }: { shown: Shown; act: Act }) {
  const { state, texts, title, settings, isInline } = shown;
  const [copying, setCopying] = useState<string>();
  const line = copying ?? (situationText(state, texts) || settings.subtitle);
  const copy = async () => {
    setCopying((await isCopied(transcriptText(state, texts))) ? texts.copied : texts.notCopied);
    setTimeout(() => setCopying(undefined), toldMs);
  };
  return (
    <header>
      <span class="face" aria-hidden="true" data-present={state.agent !== undefined}>
        {[...title.trim()][0]?.toUpperCase()}
      </span>
      <div class="names">
        {/* Isolated, and on the window's side, whatever script it is in. */}
        <h2 id="parley-title">
          <bdi>{title}</bdi>
        </h2>
        {line && (
          <p>
            <bdi>{line}</bdi>
          </p>
        )}
      </div>
      <Menu state={state} texts={texts} act={act} copy={copy} />
      <span class="unseen" role="status">
        {copying ?? ''}
      </span>
      {!isInline && (
        <button type="button" class="head" aria-label={texts.close} title={texts.close} onClick={act.close}>
          <Icon name="close" />
        </button>
      )}
    </header>
  );
}

interface MenuProps {
  state: State;
  texts: Texts;
  act: Act;
  copy(): Promise<void>;
}

function Menu({ state, texts, act, copy }: MenuProps) {
  const [isOpen, setOpen] = useState(false);
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

/** A page without https has no clipboard of its own, and one in a frame may not use it. */
async function isCopied(text: string): Promise<boolean> {
  const written = await bestEffort(
    'the older way is tried',
    navigator.clipboard?.writeText(text).then(() => true),
  );
  return written ?? copiedByCommand(text);
}

function copiedByCommand(text: string): boolean {
  const area = document.createElement('textarea');
  area.value = text;
  area.style.setProperty('position', 'fixed');
  document.body.append(area);
  area.select();
  const done = document.execCommand('copy');
  area.remove();
  return done;
}
