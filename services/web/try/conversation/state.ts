import type { AgentChoice, Figures, SessionDetails } from '../../client/shapes.ts';

/**
 * Everything the page knows about one conversation, and how each fact changes it. Pure: `conversation.ts` finds the facts out.
 */
export interface ConversationState {
  agent: AgentChoice;
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

export type Entry = PersonEntry | AgentEntry;

export interface PersonEntry {
  id: string;
  from: 'person';
  text: string;
  delivery: 'waiting' | 'sent' | 'failed';
  /** It was said, and these are the words that were recognised. */
  spoken?: boolean;
}

export interface AgentEntry {
  id: string;
  from: 'agent';
  text: string;
  progress: 'streaming' | 'whole' | 'cut';
}

export type Fact =
  | { kind: 'created'; sessionId: string }
  | { kind: 'connection'; connection: ConnectionState }
  | { kind: 'agentState'; state: string | undefined }
  | { kind: 'said'; id: string; text: string }
  | { kind: 'delivery'; id: string; delivery: PersonEntry['delivery'] }
  | { kind: 'replyBegan'; id: string }
  | { kind: 'replyGrew'; id: string; chunk: string }
  | { kind: 'replyEnded'; id: string; whole: boolean }
  | { kind: 'heard'; id: string; text: string }
  | { kind: 'microphone'; microphone: MicrophoneState }
  | { kind: 'refused'; message: string }
  | { kind: 'ending' }
  | { kind: 'notEnded'; message: string }
  | { kind: 'ended'; figures: Figures | undefined }
  | { kind: 'details'; details: SessionDetails }
  | { kind: 'detailsHidden' }
  | { kind: 'settled' }
  | { kind: 'problem'; message: string | undefined };

export const beginState = (agent: AgentChoice, language: string): ConversationState => ({
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

export function learn(state: ConversationState, fact: Fact): ConversationState {
  switch (fact.kind) {
    case 'created':
      return { ...state, sessionId: fact.sessionId };
    case 'connection':
      return connectionChanged(state, fact.connection);
    case 'agentState':
      return { ...state, agentState: agentStates.find((known) => known === fact.state) };
    case 'said':
      return append(state, { id: fact.id, from: 'person', text: fact.text, delivery: 'waiting' });
    case 'delivery':
      return replace(state, fact.id, (entry) =>
        entry.from === 'person' ? { ...entry, delivery: fact.delivery } : entry,
      );
    case 'replyBegan':
      return replyBegan(state, fact.id);
    case 'replyGrew':
      return replace(state, fact.id, (entry) => ({ ...entry, text: entry.text + fact.chunk }));
    case 'replyEnded':
      return replyEnded(state, fact);
    case 'heard':
      return heard(state, fact);
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

function connectionChanged(state: ConversationState, connection: ConnectionState): ConversationState {
  if (connection !== 'connected') return { ...state, connection, agentState: undefined };
  return { ...state, connection, problem: undefined, phase: state.phase === 'starting' ? 'talking' : state.phase };
}

/** The agent speaks one reply at a time: whatever is still open belongs to an agent that is gone. */
function replyBegan(state: ConversationState, id: string): ConversationState {
  const entries = state.entries.filter((entry) => entry.id !== id).map(cutOff);
  return append({ ...state, entries }, { id, from: 'agent', text: '', progress: 'streaming' });
}

/** What the person says is heard better and better until they have finished. */
function heard(state: ConversationState, { id, text }: { id: string; text: string }): ConversationState {
  if (!text) return state;
  if (state.entries.some((entry) => entry.id === id)) return replace(state, id, (entry) => ({ ...entry, text }));
  return append(state, { id, from: 'person', text, delivery: 'sent', spoken: true });
}

function replyEnded(state: ConversationState, { id, whole }: { id: string; whole: boolean }): ConversationState {
  const silent = state.entries.some((entry) => entry.id === id && entry.text === '');
  if (silent) return { ...state, entries: state.entries.filter((entry) => entry.id !== id) };
  return replace(state, id, (entry) =>
    entry.from === 'agent' ? { ...entry, progress: whole ? 'whole' : 'cut' } : entry,
  );
}

function ended(state: ConversationState, figures: Figures | undefined): ConversationState {
  const entries = state.entries.map(cutOff).map(neverSent);
  return {
    ...state,
    entries,
    phase: 'ended',
    connection: 'closed',
    agentState: undefined,
    microphone: 'off',
    figures: figures ?? state.figures,
    problem: undefined,
  };
}

const cutOff = (entry: Entry): Entry =>
  entry.from === 'agent' && entry.progress === 'streaming' ? { ...entry, progress: 'cut' } : entry;

const neverSent = (entry: Entry): Entry =>
  entry.from === 'person' && entry.delivery === 'waiting' ? { ...entry, delivery: 'failed' } : entry;

const append = (state: ConversationState, entry: Entry): ConversationState => ({
  ...state,
  entries: [...state.entries, entry],
});

const replace = (state: ConversationState, id: string, change: (entry: Entry) => Entry): ConversationState => ({
  ...state,
  entries: state.entries.map((entry) => (entry.id === id ? change(entry) : entry)),
});

/** What the person waits for. Words on the way say more than the attribute, which the room server may pass on late. */
export function activityOf(state: ConversationState): AgentState | undefined {
  if (state.entries.some((entry) => entry.from === 'agent' && entry.progress === 'streaming')) return 'speaking';
  return state.agentState;
}

/** Whether a message has gone out that nothing was said to yet. */
export function awaitsReply(state: ConversationState): boolean {
  if (state.phase !== 'talking' || state.connection !== 'connected') return false;
  const last = state.entries.at(-1);
  return last?.from === 'person' ? last.delivery === 'sent' : activityOf(state) === 'thinking';
}
