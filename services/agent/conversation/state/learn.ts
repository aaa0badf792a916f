import { turnClosed } from './after.ts';
import { speechEnded } from './awaiting.ts';
import { personCame } from './coming.ts';
import type { Effect } from './effect.ts';
import type { Fact, FactOf } from './fact.ts';
import { fillerDue, soundOverdue } from './filler.ts';
import {
  holdOverdue,
  speechHeard,
  speechLost,
  speechPaused,
  speechResumed,
  speechSustained,
  wordsKnown,
} from './floor.ts';
import { capReached, endWanted, farewellOverdue, lingered } from './goodbye.ts';
import { textHeard, tooMuchWritten } from './heard.ts';
import { cutOverdue, interruptPressed } from './interruption.ts';
import { flooded, handOver, patienceOver, sessionEnded, takenOver } from './life.ts';
import { microphoneGone, microphoneThere, modeWanted, spokenDecided } from './mode.ts';
import { roomAway, roomBack, roomGone, roomUnreachable } from './room.ts';
import { lineDue } from './saying.ts';
import { speechFailed, spoken } from './speech-failure.ts';
import type { ConversationState } from './state.ts';
import { type Step, step } from './step.ts';
import { arrivalKnown, told } from './telling.ts';
import { thought, toolBegan, toolEnded } from './thinking.ts';
import { textsFound, textWaits } from './waiting.ts';

type Move<Kind extends Fact['kind']> = (state: ConversationState, fact: FactOf<Kind>) => Step;

/** Nothing is heard, and no room is missed, after the end. */
const untilOver =
  <Kind extends Fact['kind']>(move: Move<Kind>): Move<Kind> =>
  (state, fact) =>
    state.phase === 'over' ? step(state) : move(state, fact);

/** Where each fact is learned: one subject a file. */
const moves: { readonly [Kind in Fact['kind']]: Move<Kind> } = {
  person_came: personCame,
  text_heard: textHeard,
  text_waits: textWaits,
  texts_found: textsFound,
  too_much_written: tooMuchWritten,
  interrupt_pressed: interruptPressed,
  mode_wanted: modeWanted,

  thought,
  told,
  arrival_known: arrivalKnown,
  turn_closed: turnClosed,
  lingered,
  cut_overdue: cutOverdue,
  tool_began: toolBegan,
  tool_ended: toolEnded,
  end_wanted: endWanted,
  cap_reached: capReached,
  farewell_overdue: farewellOverdue,
  line_due: lineDue,

  microphone_there: untilOver(microphoneThere),
  microphone_gone: untilOver(microphoneGone),
  spoken_decided: untilOver(spokenDecided),
  speech_sustained: untilOver(speechSustained),
  words_known: untilOver(wordsKnown),
  speech_paused: untilOver(speechPaused),
  speech_resumed: untilOver(speechResumed),
  speech_ended: untilOver(speechEnded),
  filler_due: untilOver(fillerDue),
  sound_overdue: untilOver(soundOverdue),
  speech_heard: untilOver(speechHeard),
  speech_lost: untilOver(speechLost),
  hold_overdue: untilOver(holdOverdue),
  spoken: untilOver(spoken),
  speech_failed: untilOver(speechFailed),

  room_away: untilOver(roomAway),
  room_back: untilOver(roomBack),
  room_gone: untilOver(roomGone),
  room_unreachable: untilOver(roomUnreachable),

  hand_over: handOver,
  patience_over: patienceOver,
  session_ended: sessionEnded,
  taken_over: takenOver,
  flooded,
};

/** What a conversation knows after a fact, and what it does about it. Pure: the table of moves is in README.md. */
export const learn = (state: ConversationState, fact: Fact): readonly [ConversationState, readonly Effect[]] =>
  moveOf(fact)(state, fact);

/** The table pairs each kind with its own fact, which the compiler cannot follow through a union. */
const moveOf = ({ kind }: Fact) => moves[kind] as (state: ConversationState, fact: Fact) => Step;
