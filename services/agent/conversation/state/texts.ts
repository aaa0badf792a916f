/** What the person writes, and what was found that nobody has answered. */
import { nobodyWaits } from './awaiting.ts';
import type { PersonFact } from './fact.ts';
import { cut, mayCut, takeIn } from './interruption.ts';
import { modeWanted } from './mode.ts';
import type { ConversationState, WaitingText } from './state.ts';
import { inTurn, type Step, step } from './step.ts';
import { goOn, goodbyeTakenBack, say } from './turn.ts';

type Of<Kind extends PersonFact['kind']> = Extract<PersonFact, { kind: Kind }>;

export function learnOfPerson(state: ConversationState, fact: PersonFact): Step {
  switch (fact.kind) {
    case 'person_came':
      return personCame(state, fact.placeLapsed);
    case 'text_heard':
      return heard(state, fact);
    case 'text_waits':
      return waits(state, fact.text);
    case 'texts_found':
      return step({ ...state, waiting: [...state.waiting, ...fact.texts] });
    case 'too_much_written':
      return state.phase === 'open' ? say(nobodyWaits(state), 'tooManyMessages', `notice ${fact.key}`) : step(state);
    case 'interrupt_pressed':
      return state.mode.isSpoken && state.phase === 'open' ? cut(state) : step(state);
    case 'mode_wanted':
      return modeWanted(state, fact.mode);
    default:
      return fact satisfies never;
  }
}

/** A call that nobody had joined for long asks for its place again before anything is said. */
function personCame(state: ConversationState, placeLapsed: boolean): Step {
  const { mode, phase } = state;
  if (phase !== 'open') return step(state);
  const isSure = mode.isPlaceSure || !mode.isSpoken || !placeLapsed;
  const known = { ...state, isAwake: true, mode: { ...mode, isPlaceSure: true, isAsking: mode.isAsking || !isSure } };
  return isSure ? awake(known) : step(known, { kind: 'ask_spoken' });
}

function awake(state: ConversationState): Step {
  if (state.phase !== 'open') return step(state);
  return inTurn({ ...state, isAwake: true }, (known) => step(known, { kind: 'mind_silence', now: 'there' }), goOn);
}

/** Who writes while the agent is heard wants to be answered now, as who speaks then. */
function heard(state: ConversationState, { text, playout }: Of<'text_heard'>): Step {
  if (state.phase === 'over') return step(state);
  const isOver = state.phase === 'open' && playout?.isHeard && mayCut(state);
  return inTurn(
    state,
    (known) => (isOver ? cut(goodbyeTakenBack(known)) : step(known)),
    (known) => takeIn(known, text),
  );
}

/** While the conversation is given away, it is the successor that answers. */
function waits(state: ConversationState, text: WaitingText): Step {
  if (state.phase !== 'open') return step(state);
  return awake({ ...goodbyeTakenBack(state), waiting: [...state.waiting, text] });
}
