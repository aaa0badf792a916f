/** Who has the floor: the agent falls silent as soon as somebody seems to speak, and goes on where it was when they only listened. */
import { isFilledFor, nobodyWaits, waitsOn } from './awaiting.ts';
import type { Effect } from './effect.ts';
import type { FactOf, Playout } from './fact.ts';
import { goodbyeTakenBack } from './goodbye.ts';
import { cut, isWarmingUp, mayCut, takeIn, wantsAnswer } from './interruption.ts';
import { isUsedUp } from './next.ts';
import { say } from './saying.ts';
import type { ConversationState } from './state.ts';
import { added, inTurn, removed, type Step, step } from './step.ts';

/** A person with many pauses in one sentence would cost a prompt for each (the framework's own bound, 1.9.0). */
const mostHeadStarts = 3;

export function speechSustained(before: ConversationState, { microphone, playout }: FactOf<'speech_sustained'>): Step {
  const state = nobodyWaits(before);
  const sound: Effect = { kind: 'mind_silence', now: 'sound' };
  // What may be the agent's own echo does not silence it; words decide.
  if (!state.rules.interruption.enabled || mayBeEcho(state, playout)) return step(state, sound);
  const effects: Effect[] = [sound, { kind: 'hold', why: 'person' }];
  if (playout?.isHeard) effects.push({ kind: 'hurry', microphone });
  const speaking = added(state.floor.speaking, microphone);
  if (state.floor.held) return step({ ...state, floor: { ...state.floor, speaking } }, ...effects);
  const hold = state.floor.holds + 1;
  const held = { hold, hasWords: false, isPeeked: false };
  // A speech-to-speech model tells itself when nothing was said.
  if (!state.rules.isSpeechToSpeech) effects.push({ kind: 'time_hold', hold });
  return step({ ...state, floor: { ...state.floor, speaking, held, holds: hold } }, ...effects);
}

const mayBeEcho = (state: ConversationState, playout: Playout | undefined) =>
  !state.rules.isSpeechToSpeech && isWarmingUp(playout);

/** Words decide as soon as they are known that the agent stops. */
export function wordsKnown(state: ConversationState, { microphone, words, playout }: FactOf<'words_known'>): Step {
  const { held } = state.floor;
  const known = held && words.text ? { ...state, floor: { ...state.floor, held: { ...held, hasWords: true } } } : state;
  const isInterruption = playout?.isHeard && mayCut(state) && wantsAnswer(state, words.text, playout);
  return inTurn(
    known,
    (next) => (words.text ? step(next, { kind: 'caption', microphone, words, isFinal: false }) : step(next)),
    (next) => (isInterruption ? cut(goodbyeTakenBack(next)) : step(next)),
  );
}

/** What was said so far tells whether the agent may go on. */
export function speechPaused(state: ConversationState, fact: FactOf<'speech_paused'>): Step {
  const { microphone, words, playout } = fact;
  if (!playout) return headStart(state, words);
  if (!playout.isHeard || !state.rules.interruption.enabled || state.cut) return step(state);
  if (wantsAnswer(state, words.text, playout)) return mayCut(state) ? cut(goodbyeTakenBack(state)) : step(state);
  const effects: Effect[] = words.text ? [{ kind: 'caption', microphone, words, isFinal: true }] : [];
  return inTurn(
    state,
    (known) => step(known, ...effects, { kind: 'dismiss', microphone }),
    (known) => letGo(known, microphone),
  );
}

/** The person goes on: what was begun for what they had said is not asked for. */
export const speechResumed = (state: ConversationState): Step => step(state, { kind: 'expect_nothing' });

/** The person has perhaps finished, while nothing else is to be answered: the model begins with its answer. */
function headStart(state: ConversationState, { text, segmentId }: { text: string; segmentId: string }): Step {
  if (!text) return step(state);
  const { pauses } = state.floor;
  const count = pauses.segmentId === segmentId ? pauses.count + 1 : 1;
  const known = { ...state, floor: { ...state.floor, pauses: { segmentId, count } } };
  const isFree = state.phase === 'open' && state.activity.kind === 'idle' && state.waiting.length === 0;
  return isFree && !isUsedUp(state) && count <= mostHeadStarts ? step(known, { kind: 'expect', text }) : step(known);
}

export function speechHeard(state: ConversationState, fact: FactOf<'speech_heard'>): Step {
  const { microphone, words, text, isEnd = false } = fact;
  // What is heard since is the filler, which came after these words: they are no sign of listening to it, and cut nothing.
  const playout = isFilledFor(state, words.segmentId) ? undefined : fact.playout;
  const isAnswered = words.text !== '' && wantsAnswer(state, words.text, playout);
  const known = isAnswered ? { ...state, failures: { ...state.failures, recognition: 0 } } : state;
  return inTurn(
    known,
    (next) => (words.text ? step(next, { kind: 'caption', microphone, words, isFinal: true }) : step(next)),
    (next) => (isAnswered && playout && mayCut(next) ? cut(goodbyeTakenBack(next)) : step(next)),
    (next) => {
      // The end of a sentence may say the opposite of it, or nothing that is understood.
      if (isEnd && (isAnswered || !(words.text || fact.playout))) return askAgain(next, text.key);
      return isAnswered ? answered(next, text) : nothingSaid(next, words.segmentId, fact.playout !== undefined);
    },
    (next) => letGo(next, microphone),
  );
}

const answered = (state: ConversationState, text: FactOf<'speech_heard'>['text']): Step =>
  inTurn(
    state,
    (known) => step(known, { kind: 'mind_silence', now: 'answered' }),
    (known) => takeIn(known, text),
  );

/** Once the conversation is given away, the successor's successor does. */
const askAgain = (state: ConversationState, key: string): Step =>
  inTurn(
    state,
    (known) => step(known, { kind: 'mind_silence', now: 'answered' }),
    (known) => (known.phase === 'open' ? say(known, 'sayAgain', `notice ${key}`) : step(known)),
    (known) => waitsOn(known, key),
  );

const nothingSaid = (state: ConversationState, utterance: string, isSpeaking: boolean): Step =>
  inTurn(
    state,
    (known) => (isSpeaking ? step(known) : step(known, { kind: 'mind_silence', now: 'no_words' })),
    (known) => waitsOn(known, utterance),
  );

export const speechLost = (state: ConversationState, { microphone }: FactOf<'speech_lost'>): Step =>
  letGo(state, microphone);

/** Nobody speaks over the agent here; once nobody does anywhere, it goes on. */
function letGo(state: ConversationState, microphone: string): Step {
  const speaking = removed(state.floor.speaking, microphone);
  if (speaking.size > 0 || !state.floor.held) return step({ ...state, floor: { ...state.floor, speaking } });
  return release({ ...state, floor: { ...state.floor, speaking } });
}

const release = (state: ConversationState): Step =>
  step({ ...state, floor: { ...state.floor, held: undefined } }, { kind: 'release', why: 'person' });

/**
 * A sound without words, such as a television, does not keep the agent silent: while it has something to say and no words come, they are
 * looked for once, and then it goes on.
 */
export function holdOverdue(state: ConversationState, { hold, playout }: FactOf<'hold_overdue'>): Step {
  const { held } = state.floor;
  if (held?.hold !== hold) return step(state);
  if (held.isPeeked && !held.hasWords && playout) return release(state);
  const isPeeked = playout !== undefined && !held.hasWords;
  const known = { ...state, floor: { ...state.floor, held: { hold, hasWords: false, isPeeked } } };
  const peeks = isPeeked ? [...state.floor.speaking].map((microphone) => ({ kind: 'peek', microphone }) as const) : [];
  return step(known, ...peeks, { kind: 'time_hold', hold });
}
