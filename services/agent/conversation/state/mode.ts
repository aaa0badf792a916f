/** Written or spoken: the person's wish wins over a microphone, and what was granted is kept. */
import type { Effect } from './effect.ts';
import type { FactOf } from './fact.ts';
import { goOn } from './next.ts';
import { say } from './saying.ts';
import type { ConversationState, Mode } from './state.ts';
import { added, inTurn, removed, type Step, step } from './step.ts';

export function microphoneThere(state: ConversationState, { microphone }: FactOf<'microphone_there'>): Step {
  const mode = { ...state.mode, microphones: added(state.mode.microphones, microphone) };
  const known = { ...state, mode };
  if (mode.wanted === 'TEXT' || mode.isAsking) return step(known);
  return mode.isSpoken ? step(known, { kind: 'listen', microphone }) : becomeSpoken(known);
}

/** Its last words are still being recognised: `speech_lost` comes after them. */
export const microphoneGone = (state: ConversationState, { microphone }: FactOf<'microphone_gone'>): Step =>
  step({ ...state, mode: { ...state.mode, microphones: removed(state.mode.microphones, microphone) } });

export function spokenDecided(state: ConversationState, { granted }: FactOf<'spoken_decided'>): Step {
  const wasSpoken = state.mode.isSpoken;
  const known = withMode(state, { isAsking: false, isGranted: granted, isSpoken: wasSpoken && granted });
  return inTurn(
    known,
    (next) => (granted ? nowSpoken(next) : step(next, { kind: 'show_mode', mode: 'unavailable' })),
    // Who called, and lost the place to others, is told that they may write.
    (next) => (wasSpoken && !granted ? say(next, 'voiceUnavailable', 'notice voice') : step(next)),
    (next) => (wasSpoken ? goOn(next) : step(next)),
  );
}

/** The wish that was uttered meanwhile holds. */
const nowSpoken = (state: ConversationState): Step => {
  if (state.mode.wanted !== 'TEXT') return speak(state);
  return state.mode.isSpoken ? write(state) : step(state);
};

export function modeWanted(state: ConversationState, { mode: wanted }: FactOf<'mode_wanted'>): Step {
  if (state.phase === 'over') return step(state);
  const known = { ...state, mode: { ...state.mode, wanted } };
  if (state.mode.isAsking) return step(known);
  // Who could not be heard before may ask again, and is told again.
  if (wanted === 'TEXT') return state.mode.isSpoken ? write(known) : step(known, { kind: 'show_mode', mode: 'text' });
  return state.mode.isSpoken ? step(known) : becomeSpoken(known);
}

/** Where the agent permits it, and this host can. */
function becomeSpoken(state: ConversationState): Step {
  const { mode, rules, phase } = state;
  if (mode.isGranted) return mode.wanted === 'VOICE' || mode.microphones.size > 0 ? speak(state) : step(state);
  if (phase !== 'open' || mode.isAsking || mode.microphones.size === 0) return step(state);
  // The model of its written sessions is another one.
  if (!rules.microphone || rules.isSpeechToSpeech) return step(state, { kind: 'show_mode', mode: 'unavailable' });
  return step({ ...state, mode: { ...mode, isAsking: true } }, { kind: 'ask_spoken' });
}

const speak = (state: ConversationState): Step =>
  step(withMode(state, { isSpoken: true }), { kind: 'show_mode', mode: 'voice' }, ...listenToAll(state));

const listenToAll = ({ mode }: ConversationState): Effect[] =>
  [...mode.microphones].map((microphone) => ({ kind: 'listen', microphone }));

/** What is being said is shown to its end; nobody is heard from now on. */
const write = (state: ConversationState): Step =>
  step(
    {
      ...withMode(state, { isSpoken: false }),
      floor: { ...state.floor, speaking: new Set(), held: undefined },
    },
    { kind: 'stop_listening' },
    { kind: 'read_the_rest' },
    { kind: 'release', why: 'person' },
    { kind: 'show_mode', mode: 'text' },
  );

const withMode = (state: ConversationState, change: Partial<Mode>): ConversationState => ({
  ...state,
  mode: { ...state.mode, ...change },
});
