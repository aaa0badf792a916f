import type { EndReason } from '../../../contract/end-reasons.ts';
import type { AgentState, ShownMode } from '../../room/agent-room.ts';
import type { IncomingText } from '../../room/hearing.ts';
import type { Words } from './fact.ts';
import type { WaitingText } from './state.ts';

/** What a service line says: by name in the session's language, or these very words. */
export type LineWords =
  | 'greeting'
  | 'modelUnavailable'
  | 'tooManyMessages'
  | 'limitReached'
  | 'voiceUnavailable'
  | 'filler'
  | 'sayAgain'
  | { text: string };

/** All that a conversation does. Each is begun at once; what comes of it is told by a fact. */
export type Effect = TurnEffect | SpeechEffect | RoomEffect;

export type TurnEffect =
  /** Counts it against the limits, stores it and puts it in line. */
  | { kind: 'take_in'; text: IncomingText }
  /** Has the model answer, and says what it says. `isFilled`: the agent's filler was said while the words were awaited. → `thought` */
  | { kind: 'think'; turn: number; text: WaitingText; isFilled: boolean }
  /**
   * Where the agent has a filler: `ended` counts from the person's last sound, so long ago, `begun` from the beginning of the turn, in
   * writing from the last words in it. → `filler_due`, and in the former case `sound_overdue`
   */
  | { kind: 'time_filler'; utterance: string; since: 'begun' | { ended: number } }
  /** The agent's filler, aloud, unless the model has said something. */
  | { kind: 'fill'; turn: number }
  /** The same before the words that are there, unless some of them are heard. */
  | { kind: 'fill_unheard'; turn: number }
  /** No further words. → `told` */
  | { kind: 'tell'; turn: number }
  /** Asks the person's client. → `arrival_known` */
  | { kind: 'ask_arrival'; turn: number }
  /** Stores the reply. → `turn_closed` */
  | { kind: 'close_turn'; turn: number; closing: Closing }
  /** The text is not answered any more. */
  | { kind: 'leave_unanswered'; text: WaitingText }
  /** → `told` */
  | { kind: 'say'; line: number; words: LineWords; key: string }
  /** What is being said ends here: the person speaks. */
  | { kind: 'stop_speaking' }
  /** → `cut_overdue` */
  | { kind: 'time_cut'; cut: number }
  /** Not another word. */
  | { kind: 'fall_silent' }
  /** What is being said may not have arrived. */
  | { kind: 'doubt_arrival' }
  /** → `lingered` */
  | { kind: 'linger' }
  /** → `farewell_overdue` */
  | { kind: 'time_farewell' }
  | { kind: 'expect'; text: string }
  | { kind: 'expect_nothing' };

export interface Closing {
  /** False: the successor answers anew, or goes on. */
  closesTurn: boolean;
  /** Nobody has heard it. */
  unsaid: boolean;
  interrupted: boolean;
  tokens: number;
}

export type SpeechEffect =
  /** Nothing is heard of the agent until `release`. */
  | { kind: 'hold'; why: 'person' | 'room' }
  | { kind: 'release'; why: 'person' | 'room' }
  /** → `hold_overdue` */
  | { kind: 'time_hold'; hold: number }
  /** The next pause is looked for sooner. */
  | { kind: 'hurry'; microphone: string }
  /** What was said so far is recognised without a pause. → `words_known` */
  | { kind: 'peek'; microphone: string }
  /** What was said so far wants no answer; what follows is an utterance of its own. */
  | { kind: 'dismiss'; microphone: string }
  | { kind: 'caption'; microphone: string; words: Words; isFinal: boolean }
  /** → `spoken_decided` */
  | { kind: 'ask_spoken' }
  | { kind: 'listen'; microphone: string }
  | { kind: 'stop_listening' }
  /** What is being said is shown instead, all of it. */
  | { kind: 'read_the_rest' }
  | { kind: 'show_mode'; mode: ShownMode }
  /** The clock of reminders: `silent` from when everything was said, `sound` while somebody makes one, `no_words` when it was none. */
  | { kind: 'mind_silence'; now: 'there' | 'silent' | 'sound' | 'no_words' | 'answered' };

export type RoomEffect =
  | { kind: 'show'; state: AgentState }
  /** Joins again if the session is ours still. → `room_back`, `room_unreachable`, `session_ended`, `taken_over` */
  | { kind: 'retake_room' }
  | { kind: 'tell_unattended' }
  | { kind: 'announce' }
  | { kind: 'time_patience' }
  /** Not another word, and out of the room once the turn is closed. `end`: for this reason, by us; `given_back`: for whoever takes it. */
  | { kind: 'leave'; how: { end: EndReason } | 'session_ended' | 'taken_over' | 'given_back' };
