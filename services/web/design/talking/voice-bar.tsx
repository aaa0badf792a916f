import { useEffect, useRef } from 'preact/hooks';
import type { HeldConversation } from '../../client/conversation/conversation.ts';
import { activityOf, type ConversationState } from '../../client/conversation/state.ts';

export type VoiceControls = Pick<HeldConversation, 'talk' | 'mute' | 'interrupt' | 'loudness'>;

export interface VoiceWords {
  talk: string;
  waiting: string;
  mute: string;
  unmute: string;
  interrupt: string;
  person: string;
  agent: string;
}

interface Props {
  state: ConversationState<unknown>;
  voice: VoiceControls;
  words: VoiceWords;
}

/** Talking instead of writing: the microphone is asked for when the person chooses it, and not before. */
export function VoiceBar({ state, voice, words }: Props) {
  const { microphone } = state;
  if (microphone === 'off' || microphone === 'asked') {
    return (
      <div class="voice-bar">
        <button
          type="button"
          disabled={microphone === 'asked' || state.connection !== 'connected'}
          onClick={() => void voice.talk()}
        >
          {microphone === 'asked' ? words.waiting : words.talk}
        </button>
      </div>
    );
  }
  const muted = microphone === 'muted';
  return (
    <div class="voice-bar">
      <button type="button" aria-pressed={muted} onClick={() => void voice.mute(!muted)}>
        {muted ? words.unmute : words.mute}
      </button>
      <button type="button" disabled={activityOf(state) !== 'speaking'} onClick={() => voice.interrupt()}>
        {words.interrupt}
      </button>
      <Meters loudness={voice.loudness} words={words} />
    </div>
  );
}

/** Drawn without the page's state: it changes many times a second. */
function Meters({ loudness, words }: Pick<VoiceControls, 'loudness'> & Pick<Props, 'words'>) {
  const person = useRef<HTMLMeterElement>(null);
  const agent = useRef<HTMLMeterElement>(null);
  useEffect(() => {
    const timer = setInterval(() => {
      const levels = loudness();
      if (person.current) person.current.value = levels.person;
      if (agent.current) agent.current.value = levels.agent;
    }, 100);
    return () => clearInterval(timer);
  }, [loudness]);
  return (
    <>
      <label class="loudness">
        {words.person} <meter ref={person} min={0} max={1} value={0} />
      </label>
      <label class="loudness">
        {words.agent} <meter ref={agent} min={0} max={1} value={0} />
      </label>
    </>
  );
}
