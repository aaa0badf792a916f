import type { llm } from '@livekit/agents';
import type { realtime } from '@livekit/agents-plugin-openai';
import type { CompiledAgent } from '../../agent-files/definition/compiled.ts';
import type { Variables } from '../../process/variables.ts';

/** What the server says, as far as we look at it ourselves. */
export interface RealtimeServerEvent {
  type: string;
  response?: { id?: string; status?: string };
  error?: unknown;
}

/** What happens on the connection, by the plugin's own event names. */
export interface RealtimeEvents {
  input_speech_started: [];
  input_speech_stopped: [];
  input_audio_transcription_completed: [{ itemId: string; transcript: string; isFinal: boolean }];
  openai_server_event_received: [RealtimeServerEvent];
  metrics_collected: [{ totalTokens: number }];
  /** After a connection that was lost: what the server was hearing is gone, what was said it has been told again. */
  session_reconnected: [];
  error: [{ error: Error; recoverable: boolean }];
}

/** One connection to a speech-to-speech model; its shape is that of openai's plugin, the only one that there is. */
export type RealtimeSession = Pick<
  realtime.RealtimeSession,
  | 'pushAudio'
  | 'generateReply'
  | 'interrupt'
  | 'truncate'
  | 'updateInstructions'
  | 'updateTools'
  | 'updateChatCtx'
  | 'chatCtx'
  | 'clearAudio'
  | 'close'
> & {
  on<Name extends keyof RealtimeEvents>(name: Name, listener: (...args: RealtimeEvents[Name]) => void): unknown;
};

export type RealtimeGeneration = llm.GenerationCreatedEvent;

export interface RealtimeChoice {
  language: string;
  voice: string | undefined;
}

/** What the `realtime.ts` of a provider exports. @throws SpeechNotConfigured when its key is missing */
export type ConnectRealtime = (definition: CompiledAgent, choice: RealtimeChoice, env: Variables) => RealtimeSession;
