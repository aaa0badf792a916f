import type { EndReason } from '../../../contract/end-reasons.ts';
import type { InteractionMode } from '../../../contract/session.ts';
import type { Draft } from '../../../store/tables/messages.ts';
import type { IncomingText } from '../../room/hearing.ts';
import type { PersonText } from '../transcript.ts';

/** A person's text in line for its answer. */
export interface WaitingText extends PersonText {
  /** A former host began this turn: the model goes on from what is stored instead of hearing the text again. */
  begun: boolean;
  /** What it had begun to say. */
  draft?: Draft;
  hearing?: IncomingText['hearing'];
}

/** What the agent's file says, for the whole session. */
export interface Rules {
  /** Of the lease: no two hosts give a line the same key. */
  epoch: number;
  mostTurns: number;
  mostTokens: number;
  interruption: { enabled: boolean; minWords: number };
  /** Whether a written session may become spoken. */
  microphone: boolean;
  /** One model hears, thinks and speaks; it tells its own failures, and which words it waits for. */
  isSpeechToSpeech: boolean;
}

/**
 * `open` → `handing_over` → `over`, or `open` → `over`. While a conversation is handed over its texts are stored and its turn ends; no
 * other begins.
 */
export type Phase = 'open' | 'handing_over' | 'over';

/** What the agent is about, and what comes after it. */
export type Activity =
  | { kind: 'idle' }
  | { kind: 'thinking'; turn: number; text: WaitingText }
  /** `utterance`: whose answer it is, if that was awaited in silence. */
  | { kind: 'telling'; turn: number; thought: Thought; cut: boolean; utterance: string | undefined }
  | { kind: 'closing'; turn: number; failed: boolean; tokens: number }
  /** A line that is said to its end before anything else. */
  | { kind: 'line'; line: number; next: EndReason | 'go_on' }
  /** The last words travel. */
  | { kind: 'leaving'; reason: EndReason };

export interface Thought {
  failed: boolean;
  interrupted: boolean;
  tokens: number;
}

/** Who has the floor. */
export interface Floor {
  /** Microphones on which somebody seems to speak over the agent. */
  speaking: ReadonlySet<string>;
  /** The agent holds its breath for a person. `hasWords`: some became known since the last look at it; `isPeeked`: they were looked for. */
  held: { hold: number; hasWords: boolean; isPeeked: boolean } | undefined;
  /** Held so often: a late clock is known as such. */
  holds: number;
  /** Of what is being said, or was last: how often the person paused in it. */
  pauses: { segmentId: string; count: number };
}

/** How the conversation is held. */
export interface Mode {
  /** What the agent says is heard. */
  isSpoken: boolean;
  /** The session was granted speech, which it keeps when the person goes back to writing. */
  isGranted: boolean;
  isAsking: boolean;
  /** A spoken session that nobody had joined for long has its place for certain. */
  isPlaceSure: boolean;
  wanted: InteractionMode | undefined;
  microphones: ReadonlySet<string>;
}

/** What was being said when the person began to speak over it. */
export interface Cut {
  cut: number;
  /** Outputs that are not over yet. */
  open: ReadonlySet<number>;
  /** Taken in after them, in this order. */
  texts: readonly IncomingText[];
}

/** All that a host knows of one conversation, and that decides what it does next. */
export interface ConversationState {
  rules: Rules;
  phase: Phase;
  /** The person is there, or has written. */
  isAwake: boolean;
  isGreeted: boolean;
  waiting: readonly WaitingText[];
  activity: Activity;
  /** Tools that run in this turn; `interruptible`: all of them may be cut by who speaks over them. */
  tools: { running: number; interruptible: boolean };
  /** Turns and lines that are being said. */
  open: ReadonlySet<number>;
  /** Of the next output. */
  next: number;
  used: { turns: number; tokens: number };
  /** In a row. */
  failedTurns: number;
  /** The session ends after this turn; `farewell`: with a line of the service. */
  ending: { reason: EndReason; farewell: boolean } | undefined;
  /** The turn was cut because the conversation is given away. */
  isCutForHandover: boolean;
  cut: Cut | undefined;
  floor: Floor;
  /** What the person said last, whose answer is awaited in silence: that is filled once. */
  awaited: { utterance: string; isFilled: boolean } | undefined;
  mode: Mode;
  /** In a row. */
  failures: { recognition: number; synthesis: number };
}

export interface Beginning {
  rules: Rules;
  isGreeted: boolean;
  isSpoken: boolean;
  /** Nobody has joined it yet. */
  isUnjoined: boolean;
  used: { turns: number; tokens: number };
}

export const begin = ({ rules, isGreeted, isSpoken, isUnjoined, used }: Beginning): ConversationState => ({
  rules,
  phase: 'open',
  isAwake: false,
  isGreeted,
  waiting: [],
  activity: { kind: 'idle' },
  tools: { running: 0, interruptible: true },
  open: new Set(),
  next: 1,
  used,
  failedTurns: 0,
  ending: undefined,
  isCutForHandover: false,
  cut: undefined,
  floor: { speaking: new Set(), held: undefined, holds: 0, pauses: { segmentId: '', count: 0 } },
  awaited: undefined,
  mode: {
    isSpoken,
    isGranted: isSpoken,
    isAsking: false,
    isPlaceSure: !isUnjoined,
    wanted: undefined,
    microphones: new Set(),
  },
  failures: { recognition: 0, synthesis: 0 },
});
