import type { Notice } from '../conversation/state.ts';
import type { Texts } from '../texts/en.ts';
import type { Act } from './act.ts';
import type { Shown } from './shown.ts';
import { noticeText } from './wording.ts';

/** What went wrong, and the one press that mends it. */
export function NoticeLine({ shown: { state, texts }, act }: { shown: Shown; act: Act }) {
  const text = noticeText(state, texts);
  if (!text) return null;
  const way = state.notice
    ? mend(state.notice, state.connection, texts, act)
    : { label: texts.soundOn, press: act.startSound };
  const isQuiet = state.notice?.isRetried === true;
  return (
    <div class="notice" role={isQuiet ? 'status' : 'alert'}>
      <p>{text}</p>
      {way && !isQuiet && (
        <button type="button" onClick={() => void way.press()}>
          {way.label}
        </button>
      )}
    </div>
  );
}

function mend(
  { code, wasSpoken }: Notice,
  connection: string,
  texts: Texts,
  act: Act,
): { label: string; press(): unknown } | undefined {
  switch (code) {
    case 'microphone_denied':
    case 'microphone_missing':
      return { label: texts.retry, press: () => act.speak() };
    case 'elsewhere':
      return connection === 'elsewhere'
        ? { label: texts.continueHere, press: () => act.rejoin() }
        : { label: texts.dismiss, press: act.dismiss };
    case 'network':
    case 'rate_limited':
    case 'no_capacity':
    case 'challenge_required':
      return { label: texts.retry, press: connection === 'lost' ? act.rejoin : again(act, wasSpoken) };
    case 'voice_unavailable':
    case 'autoplay_blocked':
      return { label: texts.dismiss, press: act.dismiss };
    default:
      return undefined;
  }
}

/** As it was begun before: whoever wanted to speak is asked for the microphone once more. */
const again =
  (act: Act, wasSpoken = false) =>
  () =>
    wasSpoken ? act.speak() : act.start();
