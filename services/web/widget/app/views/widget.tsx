import type { RefObject } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { challengeSlot } from '../challenge.ts';
import type { State } from '../conversation/state.ts';
import type { Texts } from '../texts/en.ts';
import { directionOf, filled } from '../texts/texts.ts';
import type { Act } from './act.ts';
import { Composer } from './composer.tsx';
import { Header } from './header.tsx';
import { trapFocus, useKeys } from './keys.ts';
import { NoticeLine } from './notice.tsx';
import type { Shown } from './shown.ts';
import { Transcript } from './transcript.tsx';
import { VoiceBar } from './voice-bar.tsx';
import { situationText } from './wording.ts';

interface Props {
  shown: Shown;
  act: Act;
  /** The launcher's. */
  button: HTMLButtonElement;
}

export function Widget({ shown, act, button }: Props) {
  const { state, isOpen, isInline, texts, unread, colours, language, settings } = shown;
  const panel = useRef<HTMLDivElement>(null);
  const field = useRef<HTMLTextAreaElement>(null);
  const wasOpen = useRef(isInline);

  useLayoutEffect(() => {
    for (const [name, value] of Object.entries(colours.properties)) panel.current?.style.setProperty(name, value);
  });
  useKeyboardInset(panel, isOpen && !isInline);
  useEffect(() => {
    if (wasOpen.current === isOpen || isInline) return;
    wasOpen.current = isOpen;
    // Where a finger writes, a field with the focus hides half the screen behind a keyboard.
    if (isOpen) (matchMedia('(pointer: coarse)').matches ? panel : field).current?.focus({ preventScroll: true });
    else button.focus({ preventScroll: true });
  }, [isOpen, isInline, button]);

  useKeys(panel, (event) => {
    // What is typed here is no shortcut of the page.
    event.stopPropagation();
    if (isInline) return;
    if (event.key === 'Escape') act.close();
    if (event.key === 'Tab') trapFocus(event, panel.current);
  });
  return (
    <>
      <div
        ref={panel}
        class="panel"
        {...{ role: isInline ? 'region' : 'dialog', 'aria-labelledby': 'parley-title' }}
        tabIndex={-1}
        hidden={!isOpen}
        data-theme={colours.isDark ? 'dark' : 'light'}
        data-inline={isInline}
        data-side={settings.position === 'bottom-left' ? 'left' : 'right'}
        lang={language}
        dir={directionOf(language)}
      >
        <Header shown={shown} act={act} />
        <Transcript shown={shown} />
        <NoticeLine shown={shown} act={act} />
        {/* Providers of challenges draw into the page, not into a shadow. */}
        <slot name={challengeSlot} />
        {shown.accepted ? <Bottom shown={shown} act={act} field={field} /> : <Consent shown={shown} act={act} />}
      </div>
      <Announcer state={state} texts={texts} language={language} />
      {!isOpen && unread > 0 && (
        <span class="unread" role="status">
          <span aria-hidden="true">{unread > 9 ? '9+' : unread}</span>
          <span class="unseen">{filled(texts.unread, { count: unread })}</span>
        </span>
      )}
    </>
  );
}

function Bottom({ shown, act, field }: { shown: Shown; act: Act; field: RefObject<HTMLTextAreaElement | null> }) {
  const { state, texts } = shown;
  if (state.phase === 'ended') {
    return (
      <div class="composer only">
        <button type="button" class="primary" onClick={act.clear}>
          {texts.newConversation}
        </button>
      </div>
    );
  }
  if (state.connection === 'elsewhere') return null;
  return (
    <>
      <VoiceBar shown={shown} act={act} />
      <Composer shown={shown} act={act} field={field} />
    </>
  );
}

/** Before a session, and before a microphone. */
function Consent({ shown: { consent = '', texts }, act }: { shown: Shown; act: Act }) {
  return (
    <div class="consent">
      <p dir="auto">{consent}</p>
      <button type="button" class="primary" onClick={act.accept}>
        {texts.accept}
      </button>
    </div>
  );
}

/**
 * What a screen reader says by itself: each reply once, when it is whole (its pieces would be read as fragments), and what becomes of the connection.
 * In a spoken conversation the agent is heard already.
 */
function Announcer({ state, texts, language }: { state: State; texts: Texts; language: string }) {
  const reply = state.entries.findLast((entry) => entry.from === 'agent' && entry.progress !== 'streaming');
  const isHeard = state.mode === 'voice';
  const { connection, phase } = state;
  const isTold = phase === 'ended' || connection === 'reconnecting' || state.agentWithinSeconds !== undefined;
  return (
    <div class="unseen">
      <div role="log" aria-live="polite" aria-label={texts.latest}>
        {reply && !isHeard && (
          <p key={reply.id} lang={language}>
            {reply.text}
          </p>
        )}
      </div>
      <p role="status">{isTold ? situationText(state, texts) : ''}</p>
    </div>
  );
}

/** Keeps the window above an on-screen keyboard, which covers what is fixed to the bottom of the page. */
function useKeyboardInset(panel: { current: HTMLElement | null }, isWatched: boolean): void {
  useEffect(() => {
    const { visualViewport: view } = window;
    if (!view || !isWatched) return;
    const stayAbove = () => {
      const covered = Math.max(0, window.innerHeight - view.height - view.offsetTop);
      panel.current?.style.setProperty('--keyboard', `${view.scale > 1.01 ? 0 : covered}px`);
    };
    stayAbove();
    view.addEventListener('resize', stayAbove);
    view.addEventListener('scroll', stayAbove);
    return () => {
      view.removeEventListener('resize', stayAbove);
      view.removeEventListener('scroll', stayAbove);
    };
  }, [panel, isWatched]);
}
