import { useEffect, useRef, useState } from 'preact/hooks';
import { activityOf } from '../conversation/state.ts';
import type { Act } from './act.ts';
import { Icon } from './icons.tsx';
import type { Shown } from './shown.ts';
import { situationText } from './wording.ts';

const everyMs = 80;

/** What a person who speaks needs: how loud it is, who has the floor, mute, stop, another microphone or speaker, and the way back. */
export function VoiceBar({ shown, act }: { shown: Shown; act: Act }) {
  const { state, texts, settings } = shown;
  const { microphone } = state;
  if (microphone === 'off') return null;
  const isMuted = microphone === 'muted';
  const activity = activityOf(state);
  return (
    <div class="voice" data-activity={microphone === 'asked' ? 'asked' : (activity ?? 'absent')}>
      <Level loudness={act.loudness} label={texts.level} />
      <span class="voice-words">{situationText(state, texts) || texts.listens}</span>
      <Devices
        kind="audioinput"
        label={texts.microphone}
        choose={act.useMicrophone}
        chosen={act.chosen().microphone}
        isAllowed={microphone !== 'asked'}
      />
      {'setSinkId' in HTMLMediaElement.prototype && (
        <Devices
          kind="audiooutput"
          label={texts.speaker}
          choose={act.useSpeaker}
          chosen={act.chosen().speaker}
          isAllowed={microphone !== 'asked'}
        />
      )}
      <button
        type="button"
        class="round"
        aria-pressed={isMuted}
        aria-label={isMuted ? texts.unmute : texts.mute}
        title={isMuted ? texts.unmute : texts.mute}
        disabled={microphone === 'asked'}
        onClick={() => void act.mute(!isMuted)}
      >
        <Icon name={isMuted ? 'muted' : 'microphone'} />
      </button>
      <button
        type="button"
        class="round"
        aria-label={texts.stop}
        title={texts.stop}
        disabled={activity !== 'speaking'}
        onClick={() => act.interrupt()}
      >
        <Icon name="stop" />
      </button>
      {settings.mode === 'both' && (
        <button
          type="button"
          class="round"
          aria-label={texts.write}
          title={texts.write}
          onClick={() => void act.write()}
        >
          <Icon name="keyboard" />
        </button>
      )}
    </div>
  );
}

/** Drawn without the widget's state: it changes many times a second. */
function Level({ loudness, label }: { loudness: Act['loudness']; label: string }) {
  const orb = useRef<HTMLSpanElement>(null);
  useEffect(() => {
    const timer = setInterval(() => {
      const { person, agent } = loudness();
      orb.current?.style.setProperty('--level', String(Math.max(person, agent).toFixed(2)));
      orb.current?.setAttribute('data-who', agent > person ? 'agent' : 'person');
    }, everyMs);
    return () => clearInterval(timer);
  }, [loudness]);
  return <span class="orb" ref={orb} role="img" aria-label={label} />;
}

interface DevicesProps {
  kind: 'audioinput' | 'audiooutput';
  label: string;
  isAllowed: boolean;
  chosen: string | undefined;
  choose(deviceId: string): unknown;
}

/** Only where there is something to choose; browsers tell the names once a microphone is allowed. */
function Devices({ kind, label, isAllowed, chosen, choose }: DevicesProps) {
  const [devices, setDevices] = useState<MediaDeviceInfo[]>([]);
  useEffect(() => {
    const look = async () => {
      const all = (await navigator.mediaDevices?.enumerateDevices()) ?? [];
      setDevices(all.filter((device) => device.kind === kind && device.label !== ''));
    };
    if (!isAllowed) return;
    void look();
    navigator.mediaDevices?.addEventListener('devicechange', look);
    return () => navigator.mediaDevices?.removeEventListener('devicechange', look);
  }, [isAllowed, kind]);
  if (devices.length < 2) return null;
  return (
    <select aria-label={label} title={label} onChange={(event) => void choose(event.currentTarget.value)}>
      {devices.map(({ deviceId, label: name }) => (
        <option key={deviceId} value={deviceId} selected={deviceId === chosen}>
          {name}
        </option>
      ))}
    </select>
  );
}
