import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Entry } from '../../../client/transcript.ts';
import { awaitsReply } from '../conversation/state.ts';
import type { Texts } from '../texts/en.ts';
import { filled } from '../texts/texts.ts';
import { Icon } from './icons.tsx';
import { Rich } from './rich.tsx';
import type { Shown } from './shown.ts';

/** Nearer than this to its end the transcript follows what is said; a person who scrolled up is left where they read. */
const followPx = 60;

export function Transcript({ shown: { state, texts, greeting } }: { shown: Shown }) {
  const box = useRef<HTMLDivElement>(null);
  const follows = useRef(true);
  const [isAway, setAway] = useState(false);
  const waits = awaitsReply(state);
  const { entries, tools } = state;

  const toEnd = () => {
    if (box.current) box.current.scrollTop = box.current.scrollHeight;
  };
  useLayoutEffect(() => {
    if (follows.current) toEnd();
  }, [entries, waits, tools]);
  // An on-screen keyboard makes the box smaller without a word being said.
  useEffect(() => {
    const sizes = new ResizeObserver(() => follows.current && toEnd());
    if (box.current) sizes.observe(box.current);
    return () => sizes.disconnect();
  }, []);
  const onScroll = () => {
    if (!box.current) return;
    const { scrollTop, scrollHeight, clientHeight } = box.current;
    follows.current = scrollHeight - scrollTop - clientHeight < followPx;
    setAway(!follows.current);
  };

  return (
    <div class="middle">
      {/* A region that scrolls must be reachable by keyboard. */}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: see above */}
      <section class="transcript" ref={box} tabIndex={0} aria-label={texts.conversation} onScroll={onScroll}>
        <ol>
          {greeting && (
            <li class="said agent" data-last={entries[0]?.from !== 'agent'}>
              <div class="bubble">
                <Rich text={greeting} texts={texts} />
              </div>
            </li>
          )}
          {entries.map((entry, index) => (
            <Said key={entry.id} entry={entry} isLast={entries[index + 1]?.from !== entry.from} texts={texts} />
          ))}
          {tools.map(({ id, label }) => (
            <li class="tool" key={id}>
              {filled(texts.working, { label })}
            </li>
          ))}
          {waits && (
            <li class="said agent">
              <div class="bubble dots" aria-hidden="true">
                <i />
                <i />
                <i />
              </div>
            </li>
          )}
        </ol>
      </section>
      {isAway && (
        <button
          type="button"
          class="latest"
          aria-label={texts.latest}
          onClick={() => {
            follows.current = true;
            setAway(false);
            toEnd();
          }}
        >
          <Icon name="down" />
        </button>
      )}
    </div>
  );
}

function Said({ entry, isLast, texts }: { entry: Entry; isLast: boolean; texts: Texts }) {
  const note = noteOf(entry, texts);
  // A reply that has begun and has no word yet is still waited for.
  if (entry.text === '') return null;
  return (
    <li
      class={`said ${entry.from}`}
      data-last={isLast}
      {...(entry.from === 'agent' ? { 'aria-busy': entry.progress === 'streaming' } : {})}
    >
      <span class="unseen">{entry.from === 'agent' ? texts.agent : texts.you}: </span>
      <div class="bubble">
        {entry.from === 'agent' ? <Rich text={entry.text} texts={texts} /> : <p dir="auto">{entry.text}</p>}
      </div>
      {note && <small data-failed={entry.from === 'person' && entry.delivery === 'failed'}>{note}</small>}
    </li>
  );
}

function noteOf(entry: Entry, texts: Texts): string | undefined {
  if (entry.from === 'agent') return entry.progress === 'cut' ? texts.cut : undefined;
  if (entry.delivery === 'waiting') return texts.waiting;
  if (entry.delivery === 'failed') return texts.failed;
  return entry.spoken ? texts.heard : undefined;
}
