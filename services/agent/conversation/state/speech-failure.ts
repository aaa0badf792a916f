/** Recognition or synthesis fails: the person is told, and not for ever. */
import type { FactOf } from './fact.ts';
import { over } from './life.ts';
import { say } from './saying.ts';
import type { ConversationState } from './state.ts';
import { type Step, step } from './step.ts';

/** So many failures of one part in a row, and there is no conversation any more. */
const maxFailures = 3;

/** Something was heard to its end: the voice works. */
export function spoken(state: ConversationState, { isHeard, failed }: FactOf<'spoken'>): Step {
  if (!isHeard || failed) return step(state);
  const { recognition } = state.failures;
  const failures = { recognition: state.rules.isSpeechToSpeech ? 0 : recognition, synthesis: 0 };
  return step({ ...state, failures });
}

/** A person who is not heard, or did not hear what could only be shown, is told so. Never silence, and not for ever. */
export function speechFailed(state: ConversationState, { part }: FactOf<'speech_failed'>): Step {
  const failures = { ...state.failures, [part]: state.failures[part] + 1 };
  const known = { ...state, failures };
  if (state.phase !== 'open') return step(known);
  if (failures[part] >= maxFailures) return over(known, { end: 'provider_failed' });
  // Turns tell it themselves when the model that speaks fails.
  if (part === 'synthesis' && state.rules.isSpeechToSpeech) return step(known);
  return say(known, 'modelUnavailable', `notice ${part} ${state.rules.epoch}.${state.next}`);
}
