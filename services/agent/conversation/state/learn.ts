import type { Effect } from './effect.ts';
import type { Fact } from './fact.ts';
import { learnOfSpeech } from './floor.ts';
import { learnOfLife, learnOfRoom } from './life.ts';
import type { ConversationState } from './state.ts';
import { learnOfPerson } from './texts.ts';
import { learnOfTurn } from './turn.ts';

/** What a conversation knows after a fact, and what it does about it. Pure: the table of moves is in README.md. */
export function learn(state: ConversationState, fact: Fact): readonly [ConversationState, readonly Effect[]] {
  switch (fact.kind) {
    case 'person_came':
    case 'text_heard':
    case 'text_waits':
    case 'texts_found':
    case 'too_much_written':
    case 'interrupt_pressed':
    case 'mode_wanted':
      return learnOfPerson(state, fact);
    case 'thought':
    case 'told':
    case 'arrival_known':
    case 'turn_closed':
    case 'lingered':
    case 'cut_overdue':
    case 'tool_began':
    case 'tool_ended':
    case 'end_wanted':
    case 'cap_reached':
    case 'farewell_overdue':
    case 'line_due':
      return learnOfTurn(state, fact);
    case 'room_away':
    case 'room_back':
    case 'room_gone':
    case 'room_unreachable':
      return learnOfRoom(state, fact);
    case 'hand_over':
    case 'patience_over':
    case 'session_ended':
    case 'taken_over':
    case 'flooded':
      return learnOfLife(state, fact);
    default:
      return learnOfSpeech(state, fact);
  }
}
