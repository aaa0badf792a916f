import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { activityOf, awaitsReply, type ConversationState } from '../../client/conversation/state.ts';
import { Problem } from '../../design/problem.tsx';
import { Composer } from '../../design/talking/composer.tsx';
import { VoiceBar, type VoiceControls } from '../../design/talking/voice-bar.tsx';
import { Announcer } from './announcer.tsx';
import { Frame } from './frame.tsx';
import { openersIn } from './openers.ts';
import { Transcript } from './transcript.tsx';
import { composerWords, situationInWords, voiceWords } from './wording.ts';

interface Props {
  state: ConversationState;
  /** Undefined where the agent cannot be talked to. */
  voice: VoiceControls | undefined;
  onSay(text: string): void;
  onEnd(): void;
  onRejoin(): void;
  children: ComponentChildren;
}

export function Talk({ state, voice, onSay, onEnd, onRejoin, children }: Props) {
  const field = useRef<HTMLTextAreaElement>(null);
  const nothingSaid = !state.entries.some((entry) => entry.from === 'person');
  const open = (text: string) => {
    onSay(text);
    field.current?.focus();
  };

  return (
    <Frame fill>
      <div class="talk-head">
        <div>
          <h1>{state.agent.name}</h1>
          <Situation state={state} />
        </div>
        <button
          type="button"
          class="end"
          onClick={onEnd}
          disabled={state.phase !== 'talking' && state.connection !== 'lost'}
        >
          End<span class="more-words"> conversation</span>
        </button>
      </div>
      {state.problem && (
        <Problem
          message={state.problem}
          {...(state.connection === 'lost' ? { action: 'Connect again', onAction: onRejoin } : {})}
        />
      )}
      <Transcript state={state} scrolls>
        {nothingSaid && <Openers language={state.language} onOpen={open} />}
      </Transcript>
      {voice && <VoiceBar state={state} voice={voice} words={voiceWords} />}
      <Composer
        field={field}
        words={composerWords(state.agent.name)}
        disabled={state.phase === 'ending'}
        onSay={onSay}
      />
      {children}
      <Announcer state={state} />
    </Frame>
  );
}

function Situation({ state }: { state: ConversationState }) {
  const activity = activityOf(state);
  const isLate = useLate(awaitsReply(state) && activity !== 'thinking' && activity !== 'speaking');
  const tone = state.connection !== 'connected' ? state.connection : isLate ? 'reconnecting' : (activity ?? 'absent');
  return (
    <p class="situation" data-tone={tone}>
      <span class="dot" aria-hidden="true" />
      {situationInWords(state.phase, state.connection, activity, isLate)}
    </p>
  );
}

/** A host that has heard a message thinks at once: one that nothing happens to for this long has not arrived, though no connection is known to be broken. */
const lateAfterMs = 3_000;

function useLate(isWaiting: boolean): boolean {
  const [isLate, setLate] = useState(false);
  useEffect(() => {
    setLate(false);
    if (!isWaiting) return;
    const timer = setTimeout(() => setLate(true), lateAfterMs);
    return () => clearTimeout(timer);
  }, [isWaiting]);
  return isLate;
}

function Openers({ language, onOpen }: { language: string; onOpen(text: string): void }) {
  return (
    <section class="openers" aria-label="Ways to begin" lang={language}>
      {openersIn(language).map((text) => (
        <button type="button" key={text} onClick={() => onOpen(text)}>
          {text}
        </button>
      ))}
    </section>
  );
}
