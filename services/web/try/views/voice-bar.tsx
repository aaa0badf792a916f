import { useEffect, useRef } from 'preact/hooks';
import type { HeldConversation } from '../conversation/conversation.ts';
import { activityOf, type ConversationState } from '../conversation/state.ts';

export type VoiceControls = Pick<HeldConversation, 'talk' | 'mute' | 'interrupt' | 'loudness'>;

/** Talking instead of writing: the microphone is asked for when the person chooses it, and not before. */
export function VoiceBar({ state, voice }: { state: ConversationState; voice: VoiceControls }) {
  const { microphone } = state;
  if (microphone === 'off' || microphone === 'asked') {
    return (
      <div class="voice-bar">
        <button
          type="button"
          disabled={microphone === 'asked' || state.connection !== 'connected'}
          onClick={() => void voice.talk()}
        >
          {microphone === 'asked' ? 'Waiting for the microphone…' : 'Talk instead'}
        </button>
      </div>
    );
  }
  const muted = microphone === 'muted';
  return (
    <div class="voice-bar">
      <button type="button" aria-pressed={muted} onClick={() => void voice.mute(!muted)}>
        {muted ? 'Unmute' : 'Mute'}
      </button>
      <button type="button" disabled={activityOf(state) !== 'speaking'} onClick={() => voice.interrupt()}>
        Interrupt
      </button>
      <Meters loudness={voice.loudness} />
    </div>
  );
}

/** Drawn without the page's state: it changes many times a second. */
function Meters({ loudness }: Pick<VoiceControls, 'loudness'>) {
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
        You <meter ref={person} min={0} max={1} value={0} />
      </label>
      <label class="loudness">
        Agent <meter ref={agent} min={0} max={1} value={0} />
      </label>
    </>
  );
}
