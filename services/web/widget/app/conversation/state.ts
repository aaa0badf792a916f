import type { Figures } from '../../../client/shapes.ts';
import { closed, type Entry, isBeingAnswered, learnSaid, type TranscriptFact } from '../../../client/transcript.ts';
import type { ErrorCode } from '../../shapes.ts';

/** Everything the widget knows about its conversation, and how each fact changes it. Pure: `conversation.ts` finds the facts out. */
export interface State {
  /** `idle`: there is no session, and nothing is asked for. */
  phase: 'idle' | 'starting' | 'talking' | 'ending' | 'ended';
  connection: Connection;
  /** Undefined while the agent is not in the room. */
  agent: AgentState | undefined;
  entries: readonly Entry[];
  sessionId: string | undefined;
  /** How the person wants it. */
  mode: 'text' | 'voice';
  microphone: 'off' | 'asked' | 'on' | 'muted';
  isSoundBlocked: boolean;
  /** The person wants no more of what is being answered. */
  isStopped: boolean;
  /** The agent comes within so many seconds. */
  agentWithinSeconds: number | undefined;
  notice: Notice | undefined;
  /** What the page does for the agent at the moment, by id. */
  tools: readonly RunningTool[];
  figures: Figures | undefined;
}

/** `elsewhere`: another tab has the conversation. `lost`: nobody tries any more. */
export type Connection = 'none' | 'connecting' | 'connected' | 'reconnecting' | 'lost' | 'elsewhere';

const agentStates = ['listening', 'thinking', 'speaking'] as const;
export type AgentState = (typeof agentStates)[number];

/** What the person should know, and may be able to mend. */
export interface Notice {
  code: ErrorCode;
  /** It is tried again by itself. */
  isRetried: boolean;
  /** So long the service wants to be left alone, or until it is tried again. */
  retryAfterSeconds?: number;
  /** The person wanted to speak, and does when it is tried again. */
  wasSpoken?: true;
}

export interface RunningTool {
  id: string;
  label: string;
}

export type Fact =
  | TranscriptFact
  | { kind: 'starting' }
  | { kind: 'created'; sessionId: string; agentWithinSeconds: number | undefined }
  | { kind: 'notStarted' }
  | { kind: 'resumed'; sessionId: string; entries: readonly Entry[] }
  | { kind: 'connection'; connection: Connection }
  | { kind: 'agentWithin'; seconds: number | undefined }
  | { kind: 'agent'; state: string | undefined }
  | { kind: 'stopped' }
  | { kind: 'mode'; mode: State['mode'] }
  | { kind: 'microphone'; microphone: State['microphone'] }
  | { kind: 'sound'; isBlocked: boolean }
  | { kind: 'notice'; notice: Notice | undefined }
  | { kind: 'toolBegan'; tool: RunningTool }
  | { kind: 'toolEnded'; id: string }
  | { kind: 'ending' }
  | { kind: 'notEnded' }
  | { kind: 'ended'; figures: Figures | undefined }
  | { kind: 'cleared' };

export const nothingYet: State = {
  phase: 'idle',
  connection: 'none',
  agent: undefined,
  entries: [],
  sessionId: undefined,
  mode: 'text',
  microphone: 'off',
  isSoundBlocked: false,
  isStopped: false,
  agentWithinSeconds: undefined,
  notice: undefined,
  tools: [],
  figures: undefined,
};

export function learn(state: State, fact: Fact): State {
  switch (fact.kind) {
    case 'said':
    case 'replyBegan':
    case 'heard':
      return { ...state, isStopped: false, entries: learnSaid(state.entries, fact) };
    case 'delivery':
    case 'replyGrew':
    case 'replyEnded':
      return { ...state, entries: learnSaid(state.entries, fact) };
    case 'stopped':
      return { ...state, isStopped: true };
    case 'starting':
      return { ...state, phase: 'starting', connection: 'connecting' };
    case 'created':
      return { ...state, sessionId: fact.sessionId, agentWithinSeconds: fact.agentWithinSeconds, notice: undefined };
    case 'notStarted':
      return { ...state, phase: 'idle', connection: 'none', microphone: 'off', mode: 'text' };
    case 'resumed':
      return {
        ...nothingYet,
        phase: 'talking',
        connection: 'reconnecting',
        sessionId: fact.sessionId,
        entries: fact.entries,
      };
    case 'connection':
      return connectionChanged(state, fact.connection);
    case 'agentWithin':
      return { ...state, agentWithinSeconds: fact.seconds };
    case 'agent':
      return agentChanged(state, fact.state);
    case 'mode':
      return { ...state, mode: fact.mode };
    case 'microphone':
      return { ...state, microphone: fact.microphone };
    case 'sound':
      return { ...state, isSoundBlocked: fact.isBlocked };
    case 'notice':
      return { ...state, notice: fact.notice };
    case 'toolBegan':
      return { ...state, tools: [...state.tools, fact.tool] };
    case 'toolEnded':
      return { ...state, tools: state.tools.filter(({ id }) => id !== fact.id) };
    case 'ending':
      return { ...state, phase: 'ending' };
    case 'notEnded':
      return { ...state, phase: 'talking' };
    case 'ended':
      return ended(state, fact.figures);
    case 'cleared':
      return nothingYet;
    default:
      return fact satisfies never;
  }
}

function connectionChanged(state: State, connection: Connection): State {
  if (connection !== 'connected') return { ...state, connection, agent: undefined };
  const isMended = state.notice?.code === 'network' || state.notice?.code === 'elsewhere';
  return {
    ...state,
    connection,
    notice: isMended ? undefined : state.notice,
    phase: state.phase === 'starting' ? 'talking' : state.phase,
  };
}

function agentChanged(state: State, told: string | undefined): State {
  const agent = told === undefined ? undefined : (agentStates.find((known) => known === told) ?? 'listening');
  return { ...state, agent, agentWithinSeconds: agent ? undefined : state.agentWithinSeconds };
}

const ended = (state: State, figures: Figures | undefined): State => ({
  ...state,
  entries: closed(state.entries),
  phase: 'ended',
  connection: 'none',
  agent: undefined,
  microphone: 'off',
  isSoundBlocked: false,
  agentWithinSeconds: undefined,
  notice: undefined,
  tools: [],
  figures: figures ?? state.figures,
});

/** What the agent does. Words on the way say more than its attribute, which the room server may pass on late. */
export const activityOf = ({ entries, agent }: State): AgentState | undefined =>
  isBeingAnswered(entries) ? 'speaking' : agent;

/** Whether the person waits for words. */
export function awaitsReply(state: State): boolean {
  if (state.isStopped) return false;
  // Who reads that nobody is free sees nobody write.
  if (state.phase === 'starting') return state.entries.at(-1)?.from === 'person' && !state.notice?.isRetried;
  if (state.phase !== 'talking' || state.connection !== 'connected') return false;
  const last = state.entries.at(-1);
  if (last?.from === 'person') return last.delivery === 'sent' && state.agentWithinSeconds === undefined;
  return activityOf(state) === 'thinking';
}

/** Whether the agent is at something that it can be made to stop. */
export const mayBeStopped = (state: State): boolean =>
  state.phase === 'talking' &&
  state.connection === 'connected' &&
  !state.isStopped &&
  (activityOf(state) === 'speaking' || activityOf(state) === 'thinking');

/** Whether a session is there that ends some time. */
export const isLive = ({ phase }: State): boolean => phase === 'talking' || phase === 'starting' || phase === 'ending';
