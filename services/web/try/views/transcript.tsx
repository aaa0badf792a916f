import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { awaitsReply, type ConversationState } from '../../client/conversation/state.ts';
import { timelineOf } from '../../client/conversation/timeline.ts';
import type { SessionDetails } from '../../client/shapes.ts';
import type { Entry } from '../../client/transcript.ts';
import { ToolCallCard } from './tool-call-card.tsx';
import { TurnTimes } from './turn-times.tsx';

interface Props {
  state: ConversationState;
  scrolls?: boolean;
  /** Below the words. */
  children?: ComponentChildren;
}

/** Nearer than this to its end, the transcript follows what is said; a person who scrolled up is left where they read. */
const followPx = 80;

export function Transcript({ state, scrolls = false, children }: Props) {
  const box = useRef<HTMLElement>(null);
  const follows = useRef(true);
  const items = timelineOf(state.entries, state.details);
  const waits = awaitsReply(state);

  useLayoutEffect(() => {
    if (box.current && follows.current) box.current.scrollTop = box.current.scrollHeight;
  }, [state.entries, state.details, waits]);

  const onScroll = () => {
    const { scrollTop, scrollHeight, clientHeight } = box.current ?? document.documentElement;
    follows.current = scrollHeight - scrollTop - clientHeight < followPx;
  };

  return (
    <section
      ref={box}
      class={scrolls ? 'transcript scrolls' : 'transcript'}
      aria-label="Conversation"
      // A region that scrolls must be reachable by keyboard.
      {...(scrolls ? { tabIndex: 0, onScroll } : {})}
    >
      {items.length === 0 && (
        <p class="quiet">{state.phase === 'ended' ? 'Nothing was said.' : 'The conversation begins here.'}</p>
      )}
      <ol>
        {items.map((item) =>
          item.kind === 'entry' ? (
            <Said key={item.entry.id} entry={item.entry} language={state.language} details={state.details} />
          ) : (
            <ToolCallCard key={item.key} call={item.toolCall} />
          ),
        )}
        {waits && (
          <li class="said agent waiting">
            <span class="visually-hidden">The agent has not answered yet</span>
            <span class="dots" aria-hidden="true">
              <i />
              <i />
              <i />
            </span>
          </li>
        )}
      </ol>
      {children}
    </section>
  );
}

interface SaidProps {
  entry: Entry;
  language: string;
  details: SessionDetails | undefined;
}

function Said({ entry, language, details }: SaidProps) {
  if (entry.from === 'agent') {
    const timing = details?.messages.findLast(
      ({ role, mode, content }) => role === 'ASSISTANT' && mode === 'VOICE' && content === entry.text,
    )?.timing;
    return (
      <li class="said agent" aria-busy={entry.progress === 'streaming'}>
        <span class="visually-hidden">Agent: </span>
        <p lang={language}>{entry.text}</p>
        {entry.progress === 'cut' && <small>cut off</small>}
        {timing && <TurnTimes timing={timing} />}
      </li>
    );
  }
  return (
    <li class="said person" data-delivery={entry.delivery}>
      <span class="visually-hidden">You: </span>
      <p>{entry.text}</p>
      {entry.spoken && <small>heard</small>}
      {entry.delivery === 'waiting' && <small>waiting to be sent</small>}
      {entry.delivery === 'failed' && <small class="failed">not delivered</small>}
    </li>
  );
}
