import type { EndReason } from '../../../contract/end-reasons.ts';
import type { InteractionMode } from '../../../contract/session.ts';
import type { IncomingText } from '../../room/hearing.ts';
import type { WaitingText } from './state.ts';

/** All that can happen to a conversation. Outputs (turns and lines) are named by number, microphones by their track. */
export type Fact = PersonFact | TurnFact | SpeechFact | RoomFact | LifeFact;

export type FactOf<Kind extends Fact['kind']> = Extract<Fact, { kind: Kind }>;

export type PersonFact =
  /** The person is in the room. `placeLapsed`: a spoken session waited so long for them that others may have its place. */
  | { kind: 'person_came'; placeLapsed: boolean }
  /** Written in the room, whole. */
  | { kind: 'text_heard'; text: IncomingText; playout: Playout | undefined }
  /** It is stored, or will be once the database is back, and waits for its answer. */
  | { kind: 'text_waits'; text: WaitingText }
  /** Stored by a former host, or by one on its way out, and unanswered. */
  | { kind: 'texts_found'; texts: readonly WaitingText[] }
  /** More was written than the limits allow; `key` names the text that was refused. */
  | { kind: 'too_much_written'; key: string }
  /** The person's button. */
  | { kind: 'interrupt_pressed' }
  /** The person's client says how the conversation is to be held; undefined: as a microphone tells. */
  | { kind: 'mode_wanted'; mode: InteractionMode | undefined };

export type TurnFact =
  /** The model has said all that it says. */
  | { kind: 'thought'; turn: number; failed: boolean; interrupted: boolean; tokens: number }
  /** The last word is out, or was cut; `whole`: as far as we know the room took all of it. */
  | { kind: 'told'; output: number; cut: boolean; hasWords: boolean; whole: boolean }
  /** Whether the person's client has it. */
  | { kind: 'arrival_known'; turn: number; arrived: boolean }
  /** The turn is on its way into the transcript. */
  | { kind: 'turn_closed'; turn: number }
  /** The words that were said last had their time to travel. */
  | { kind: 'lingered' }
  /** What was cut did not stop in time. */
  | { kind: 'cut_overdue'; cut: number }
  | { kind: 'tool_began'; interruptible: boolean }
  | { kind: 'tool_ended' }
  /** A tool ends the conversation, once this turn is over. */
  | { kind: 'end_wanted'; reason: EndReason }
  /** A cap of the agent or its tenant is used up. May be told again. */
  | { kind: 'cap_reached' }
  /** The turn that was under way took too long for the last line. */
  | { kind: 'farewell_overdue' }
  /** A line that time calls for. */
  | { kind: 'line_due'; text: string; key: string };

/** What the agent is saying aloud at this moment. */
export interface Playout {
  /** Something of it was heard. */
  isHeard: boolean;
  /** So long ago the person heard the agent for the first time on this connection; undefined: never. */
  heardForMs: number | undefined;
  /** The sentence that is being heard, and what was heard of it. */
  sentence: string;
  /** What is not heard yet. */
  ahead: string;
  /** In which it speaks. */
  language: string;
}

export interface Words {
  text: string;
  segmentId: string;
}

export type SpeechFact =
  | { kind: 'microphone_there'; microphone: string }
  | { kind: 'microphone_gone'; microphone: string }
  /** Whether the session may be spoken from now on. */
  | { kind: 'spoken_decided'; granted: boolean }
  /** Somebody speaks, long enough to be meant. */
  | { kind: 'speech_sustained'; microphone: string; playout: Playout | undefined }
  /** What is known of the words so far. */
  | { kind: 'words_known'; microphone: string; words: Words; playout: Playout | undefined }
  /** A pause, and what was said before it; the person may go on. */
  | { kind: 'speech_paused'; microphone: string; words: Words; playout: Playout | undefined }
  | { kind: 'speech_resumed'; microphone: string }
  /** The person has finished, so long after their last sound; the words, `speech_heard`, may take a while. */
  | { kind: 'speech_ended'; utterance: string; silentForMs: number; playout: Playout | undefined }
  /** Whoever said this has waited for so long that they should hear that somebody is there. */
  | { kind: 'filler_due'; utterance: string }
  /** The same for what they were to hear: there may be words whose sound is late. */
  | { kind: 'sound_overdue'; utterance: string }
  /** The person has finished. `text` is to be taken in, should it want an answer; `isEnd`: its beginning was said to a host that died. */
  | {
      kind: 'speech_heard';
      microphone: string;
      words: Words;
      text: IncomingText;
      playout: Playout | undefined;
      isEnd?: boolean;
    }
  /** Nobody waits for the words of this microphone any more. */
  | { kind: 'speech_lost'; microphone: string }
  /** The agent has held its breath for as long as it does without a word. */
  | { kind: 'hold_overdue'; hold: number; playout: Playout | undefined }
  /** One thing was said aloud to its end, or cut. */
  | { kind: 'spoken'; isHeard: boolean; failed: boolean }
  | { kind: 'speech_failed'; part: 'recognition' | 'synthesis' };

/** Whose the session is, by the database. `unknown`: it does not answer. */
export type Standing = 'ours' | 'others' | 'ended' | 'unknown';

export type RoomFact =
  /** The connection is being made again: nothing that is said arrives. */
  | { kind: 'room_away' }
  | { kind: 'room_back' }
  /** The connection is over. */
  | { kind: 'room_gone' }
  /** It cannot be made again from here. */
  | { kind: 'room_unreachable' };

export type LifeFact =
  /** To be given to another host between two turns. */
  | { kind: 'hand_over' }
  | { kind: 'patience_over' }
  | { kind: 'session_ended' }
  /** It is another host's. */
  | { kind: 'taken_over' }
  /** Whoever was sent out for what they sent came back and went on. */
  | { kind: 'flooded' };
