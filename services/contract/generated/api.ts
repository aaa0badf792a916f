// Generated from schemas/ by `npm run generate`. Do not edit.

/**
 * Bodies of the public requests. null is the same as leaving a field out; an empty string is a fault.
 */
export interface ApiBodies {
  createSession: CreateSessionBody;
  createToken: CreateTokenBody;
  transcription: TranscriptionBody;
}
export interface CreateSessionBody {
  /**
   * One of the agent's language codes.
   */
  language?: string;
  /**
   * One of the language's voices.
   */
  voiceId?: string;
  /**
   * Replaces the agent's prompt in this session only.
   */
  systemPrompt?: string;
  /**
   * Spoken or text only.
   */
  interactionMode?: 'VOICE' | 'TEXT';
}
export interface CreateTokenBody {
  /**
   * One of the agent's language codes.
   */
  language?: string;
}
export interface TranscriptionBody {
  /**
   * Who said it.
   */
  role: 'USER' | 'ASSISTANT';
  /**
   * What was said.
   */
  content: string;
  /**
   * The session; or give roomName.
   */
  sessionId?: string;
  /**
   * The session's room; or give sessionId.
   */
  roomName?: string;
  /**
   * Makes a retry harmless: a line with a known id is not stored again.
   */
  messageId?: string;
}
