import { ends } from '../../../contract/end-reasons.ts';
import type { AgentState, ConnectionState, Phase } from '../../client/conversation/state.ts';
import type { Stay, ToolCall } from '../../client/shapes.ts';
import type { ComposerWords } from '../../design/talking/composer.tsx';
import type { VoiceWords } from '../../design/talking/voice-bar.tsx';

/** A code that a newer service sends is shown as it is. */
export const endReasonInWords = (code: string | null | undefined): string =>
  code ? (new Map(Object.entries(ends)).get(code)?.toPerson ?? `It ended: ${code}.`) : 'The conversation is over.';

/** `no_input` reads "No input". */
export const codeInWords = (code: string): string => {
  const words = code.replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
};

export function durationInWords(seconds: number): string {
  const hours = Math.floor(seconds / 3600);
  const minutes = Math.floor((seconds % 3600) / 60);
  const parts = [hours && `${hours} h`, minutes && `${minutes} min`, `${seconds % 60} s`];
  return parts.filter(Boolean).join(' ');
}

export const lengthInWords = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;

/** To the millisecond, because figures are checked against it. */
export const timeOfDay = (iso: string): string =>
  new Date(iso).toLocaleTimeString('en-GB', {
    hour12: false,
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    fractionalSecondDigits: 3,
  });

export const roleInWords = (role: Stay['role']): string => (role === 'person' ? 'You' : 'Agent');

export const toolStatusInWords: Record<ToolCall['status'], string> = {
  started: 'running',
  ok: 'done',
  failed: 'failed',
  unknown: 'outcome unknown',
};

const activities: Record<AgentState, string> = {
  initializing: 'agent is getting ready',
  listening: 'agent is listening',
  thinking: 'agent is thinking',
  speaking: 'agent is answering',
};

const connections: Record<Exclude<ConnectionState, 'connected'>, string> = {
  connecting: 'Connecting',
  reconnecting: 'Reconnecting',
  lost: 'Connection lost',
  closed: 'Not connected',
};

export const connectionInWords = (connection: ConnectionState): string =>
  connection === 'connected' ? 'Connected' : connections[connection];

/** One line for what goes on right now; the connection comes first, because without it nothing else is known. */
export function situationInWords(
  phase: Phase,
  connection: ConnectionState,
  activity: AgentState | undefined,
  isLate = false,
): string {
  if (phase === 'ended') return 'Conversation over';
  if (phase === 'ending') return 'Ending the conversation';
  if (connection !== 'connected') return connections[connection];
  if (isLate) return 'No answer yet, waiting for the connection';
  return `Connected, ${activity ? activities[activity] : 'waiting for the agent'}`;
}

export const composerWords = (agentName: string): ComposerWords => ({
  label: `Message to ${agentName}`,
  placeholder: 'Write a message',
  send: 'Send',
  hint: 'Enter sends, Shift and Enter begin a new line. You need not wait for an answer.',
});

export const voiceWords: VoiceWords = {
  talk: 'Talk instead',
  waiting: 'Waiting for the microphone…',
  mute: 'Mute',
  unmute: 'Unmute',
  interrupt: 'Interrupt',
  person: 'You',
  agent: 'Agent',
};
