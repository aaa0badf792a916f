/**
 * The silence between what the person said and the answer. It is filled once, where the agent has a filler: recognition may hang before
 * there is a turn, and the model in it.
 */
import type { FactOf } from './fact.ts';
import type { ConversationState, WaitingText } from './state.ts';
import { type Step, step } from './step.ts';

/** Their words may take a while. Whoever spoke over the agent has heard it a moment ago. */
export function speechEnded(
  state: ConversationState,
  { utterance, silentForMs, playout }: FactOf<'speech_ended'>,
): Step {
  if (state.phase !== 'open' || playout?.isHeard) return step(state);
  return step(
    { ...state, awaited: { utterance, isFilled: false } },
    { kind: 'time_filler', utterance, since: { ended: silentForMs } },
  );
}

/** The answer to this text is awaited from now on, if it was not before. */
export function answerAwaited(state: ConversationState, { key }: WaitingText): Step {
  // A model that speaks by itself says itself what it is about to do.
  const speaksByItself = state.mode.isSpoken && state.rules.isSpeechToSpeech;
  if (key === undefined || speaksByItself) return step(nobodyWaits(state));
  const isFilled = isFilledFor(state, key);
  return step(
    { ...state, awaited: { utterance: key, isFilled } },
    { kind: 'time_filler', utterance: key, since: 'begun' },
  );
}

/** The person speaks, or has their answer. */
export const nobodyWaits = (state: ConversationState): ConversationState => ({ ...state, awaited: undefined });

/** It was a sound without words: who waited for an answer before waits on. */
export function waitsOn(state: ConversationState, utterance: string): Step {
  const known = state.awaited?.utterance === utterance ? nobodyWaits(state) : state;
  return known.activity.kind === 'thinking' && !known.awaited ? answerAwaited(known, known.activity.text) : step(known);
}

/** The agent's filler was said while this was awaited. */
export const isFilledFor = ({ awaited }: ConversationState, utterance: string | undefined): boolean =>
  awaited !== undefined && awaited.utterance === utterance && awaited.isFilled;
