import type { AgentChoice, Figures, SessionDetails } from '../shapes.ts';
import { closed, type Entry, isBeingAnswered, learnSaid, type TranscriptFact } from '../transcript.ts';

/**
 * Everything the page knows about one conversation, and how each fact changes it. Pure: `conversation.ts` finds the facts out.
 */
export interface ConversationState<Agent = AgentChoice> {
  /** What the page knows its agent by. */
  agent: Agent;
  language: string;
  sessionId: string | undefined;
  phase: Phase;
  connection: ConnectionState;
  /** Undefined while the agent is not in the room. */
  agentState: AgentState | undefined;
  entries: Entry[];
  figures: Figures | undefined;
  details: SessionDetails | undefined;
  /** Whether the server shows what it stored: in development only. */
  detailsShown: boolean;
  /** Nothing more will come: the summary is there, or was waited for long enough. */
  settled: boolean;
  problem: string | undefined;
  microphone: MicrophoneState;
}

/** `asked`: the browser asks the person for it. */
export type MicrophoneState = 'off' | 'asked' | 'on' | 'muted';

/** `refused`: there never was a session. */
export type Phase = 'starting' | 'refused' | 'talking' | 'ending' | 'ended';
export type ConnectionState = 'connecting' | 'connected' | 'reconnecting' | 'lost' | 'closed';

const agentStates = ['initializing', 'listening', 'thinking', 'speaking'] as const;
export type AgentState = (typeof agentStates)[number];

export type Fact =
  | { kind: 'created'; sessionId: string }
  | { kind: 'connection'; connection: ConnectionState }
  | { kind: 'agentState'; state: string | undefined }
  | TranscriptFact
  | { kind: 'microphone'; microphone: MicrophoneState }
  | { kind: 'refused'; message: string }
  | { kind: 'ending' }
  | { kind: 'notEnded'; message: string }
  | { kind: 'ended'; figures: Figures | undefined }
  | { kind: 'details'; details: SessionDetails }
  | { kind: 'detailsHidden' }
  | { kind: 'settled' }
  | { kind: 'problem'; message: string | undefined };

export const beginState = <Agent>(agent: Agent, language: string): ConversationState<Agent> => ({
  agent,
  language,
  sessionId: undefined,
  phase: 'starting',
  connection: 'connecting',
  agentState: undefined,
  entries: [],
  figures: undefined,
  details: undefined,
  detailsShown: true,
  settled: false,
  problem: undefined,
  microphone: 'off',
});

export function learn<Agent>(state: ConversationState<Agent>, fact: Fact): ConversationState<Agent> {
  switch (fact.kind) {
    case 'created':
      return { ...state, sessionId: fact.sessionId };
    case 'connection':
      return connectionChanged(state, fact.connection);
    case 'agentState':
      return { ...state, agentState: agentStates.find((known) => known === fact.state) };
    case 'said':
    case 'delivery':
    case 'replyBegan':
    case 'replyGrew':
    case 'replyEnded':
    case 'heard':
      return { ...state, entries: learnSaid(state.entries, fact) };
    case 'microphone':
      return { ...state, microphone: fact.microphone };
    case 'refused':
      return { ...state, phase: 'refused', connection: 'closed', problem: fact.message };
    case 'notEnded':
      return { ...state, phase: 'talking', problem: fact.message };
    case 'ending':
      return { ...state, phase: 'ending', problem: undefined };
    case 'ended':
      return ended(state, fact.figures);
    case 'details':
      return { ...state, details: fact.details };
    case 'detailsHidden':
      return { ...state, detailsShown: false };
    case 'settled':
      return { ...state, settled: true };
    case 'problem':
      return { ...state, problem: fact.message };
    default:
      return fact satisfies never;
  }
}

function connectionChanged<Agent>(
  state: ConversationState<Agent>,
  connection: ConnectionState,
): ConversationState<Agent> {
  if (connection !== 'connected') return { ...state, connection, agentState: undefined };
  return { ...state, connection, problem: undefined, phase: state.phase === 'starting' ? 'talking' : state.phase };
}

function ended<Agent>(state: ConversationState<Agent>, figures: Figures | undefined): ConversationState<Agent> {
  return {
    ...state,
    entries: closed(state.entries),
    phase: 'ended',
    connection: 'closed',
    agentState: undefined,
    microphone: 'off',
    figures: figures ?? state.figures,
    problem: undefined,
  };
}

/** What the person waits for. Words on the way say more than the attribute, which the room server may pass on late. */
export function activityOf(state: ConversationState<unknown>): AgentState | undefined {
  if (isBeingAnswered(state.entries)) return 'speaking';
  return state.agentState;
}

/** Whether a message has gone out that nothing was said to yet. */
export function awaitsReply(state: ConversationState<unknown>): boolean {
  if (state.phase !== 'talking' || state.connection !== 'connected') return false;
  const last = state.entries.at(-1);
  return last?.from === 'person' ? last.delivery === 'sent' : activityOf(state) === 'thinking';
}
