import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import type { HeldConversation } from '../../../../client/conversation/conversation.ts';
import { activityOf, awaitsReply, type ConversationState } from '../../../../client/conversation/state.ts';
import { timelineOf } from '../../../../client/conversation/timeline.ts';
import type { SessionDetails } from '../../../../client/shapes.ts';
import type { Entry } from '../../../../client/transcript.ts';
import { Problem } from '../../../../design/problem.tsx';
import { Composer } from '../../../../design/talking/composer.tsx';
import { VoiceBar } from '../../../../design/talking/voice-bar.tsx';
import type { AgentShown } from '../../../account/account-api.ts';
import { useHere } from '../../../account/use-account.ts';
import { Badge } from '../../../parts/badge.tsx';
import { useWords } from '../../../words/use-words.ts';
import { Stages } from '../../session/stages.tsx';
import { Called } from '../../session/transcript.tsx';
import type { Tried } from './test-api.ts';

interface Props {
  shown: AgentShown;
  state: ConversationState<Tried>;
  held: HeldConversation | undefined;
  onAgain(): void;
}

/** A test as it goes on: what is said and which tools are called; and, once it is over, the way to all that is known of it. */
export function Talk({ shown, state, held, onAgain }: Props) {
  const { test } = useWords();
  const field = useRef<HTMLTextAreaElement>(null);
  const isOver = state.phase === 'ended';
  const speaks = shown.languages.some(({ code, speaks: can }) => can && code === state.language);
  return (
    <section class="card talk" aria-labelledby="test">
      <div class="card-head">
        <h2 id="test">{test.title(shown.name)}</h2>
        <Badge tone="busy">{test.badge}</Badge>
        <Situation state={state} />
        {!isOver && (
          <button
            type="button"
            disabled={state.phase !== 'talking' && state.connection !== 'lost'}
            onClick={() => void held?.end()}
          >
            {test.end}
          </button>
        )}
      </div>
      {state.problem && (
        <Problem
          message={state.problem}
          {...(state.connection === 'lost' ? { action: test.reconnect, onAction: () => void held?.rejoin() } : {})}
        />
      )}
      <Said state={state} />
      {isOver ? (
        <Over sessionId={state.sessionId} onAgain={onAgain} />
      ) : (
        <>
          {speaks && held && <VoiceBar state={state} voice={held} words={test.voice} />}
          {!speaks && <p class="hint">{test.writtenOnly}</p>}
          <Composer
            field={field}
            words={test.composer(shown.name)}
            disabled={state.phase === 'ending'}
            onSay={(text) => held?.say(text)}
          />
        </>
      )}
      <div class="visually-hidden" role="log" aria-label={test.latest}>
        {state.entries.findLast((entry) => entry.from === 'agent' && entry.progress !== 'streaming')?.text}
      </div>
    </section>
  );
}

function Situation({ state }: { state: ConversationState<Tried> }) {
  const { test } = useWords();
  const activity = activityOf(state);
  const says =
    state.connection === 'connected' && state.phase === 'talking'
      ? test.activities[activity ?? 'absent']
      : test.connections[state.phase === 'ended' ? 'closed' : state.connection];
  return (
    <span class="quiet" role="status">
      {says}
    </span>
  );
}

function Over({ sessionId, onAgain }: { sessionId: string | undefined; onAgain(): void }) {
  const { tenancy } = useHere();
  const { test } = useWords();
  const heading = useRef<HTMLAnchorElement>(null);
  useEffect(() => heading.current?.focus(), []);
  return (
    <div class="actions">
      <a class="button primary" ref={heading} href={`/t/${tenancy.slug}/sessions/${sessionId}`}>
        {test.toSession}
      </a>
      <button type="button" onClick={onAgain}>
        {test.again}
      </button>
    </div>
  );
}

/** Nearer than this to its end, the list follows what is said; a person who scrolled up is left where they read. */
const followPx = 80;

function Said({ state }: { state: ConversationState<Tried> }) {
  const { session, test } = useWords();
  const box = useRef<HTMLDivElement>(null);
  const follows = useRef(true);
  const items = timelineOf(state.entries, state.details);
  useLayoutEffect(() => {
    if (box.current && follows.current) box.current.scrollTop = box.current.scrollHeight;
  }, [state.entries, state.details]);
  const onScroll = () => {
    const { scrollTop, scrollHeight, clientHeight } = box.current ?? document.documentElement;
    follows.current = scrollHeight - scrollTop - clientHeight < followPx;
  };
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
    <section class="said-box" ref={box} tabIndex={0} aria-label={session.said} onScroll={onScroll}>
      {items.length === 0 && <p class="quiet">{test.beginsHere}</p>}
      <ol class="lines">
        {items.map((item) =>
          item.kind === 'entry' ? (
            <Line key={item.entry.id} entry={item.entry} details={state.details} />
          ) : (
            <Called key={item.key} call={item.toolCall} />
          ),
        )}
      </ol>
      {awaitsReply(state) && <p class="quiet">{test.activities.thinking}</p>}
    </section>
  );
}

function Line({ entry, details }: { entry: Entry; details: SessionDetails | undefined }) {
  const { session, test } = useWords();
  const timing =
    entry.from === 'agent'
      ? details?.messages.findLast(({ role, content }) => role === 'ASSISTANT' && content === entry.text)?.timing
      : undefined;
  return (
    <li class="line" data-from={entry.from} aria-busy={entry.from === 'agent' && entry.progress === 'streaming'}>
      <p class="line-head">
        <strong>{session[entry.from]}</strong>
        {entry.from === 'person' && entry.spoken && <span>{session.spoken}</span>}
        {entry.from === 'person' && entry.delivery !== 'sent' && (
          <span class="warn">{test.deliveries[entry.delivery]}</span>
        )}
        {entry.from === 'agent' && entry.progress === 'cut' && <span class="warn">{session.interrupted}</span>}
      </p>
      <p class="words">{entry.text}</p>
      {timing && <Stages timing={timing} />}
    </li>
  );
}
