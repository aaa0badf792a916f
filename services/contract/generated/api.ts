// Generated from schemas/ by `npm run generate`. Do not edit.

/**
 * Bodies of the public requests. null is the same as leaving a field out; an empty string is a fault.
 */
export interface ApiBodies {
  createSession: CreateSessionBody;
  createToken: CreateTokenBody;
  transcription: TranscriptionBody;
  signIn: SignInBody;
  forgottenPassword: ForgottenPasswordBody;
  resetPassword: ResetPasswordBody;
  leaveToSignIn: LeaveToSignInBody;
  signInByLink: SignInByLinkBody;
  acceptInvitation: AcceptInvitationBody;
  inviteMember: InviteMemberBody;
  changeMember: ChangeMemberBody;
  changePrompt: ChangePromptBody;
  previewPrompt: PreviewPromptBody;
  changeWebhook: ChangeWebhookBody;
  changeTenant: ChangeTenantBody;
  testWebhook: TestWebhookBody;
  regenerateCredential: RegenerateCredentialBody;
  tryAgent: TryAgentBody;
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
export interface SignInBody {
  /**
   * An e-mail address.
   */
  email: string;
  /**
   * The person's password.
   */
  password: string;
}
export interface ForgottenPasswordBody {
  /**
   * An e-mail address.
   */
  email: string;
}
export interface ResetPasswordBody {
  /**
   * What the letter has behind the #, reset_…
   */
  token: string;
  /**
   * The new one.
   */
  password: string;
}
export interface LeaveToSignInBody {
  /**
   * The token of an invitation, inv_…, to be accepted by this.
   */
  invitation?: string;
  /**
   * The page to come back to, such as /sessions. Default /.
   */
  to?: string;
}
export interface SignInByLinkBody {
  /**
   * What npm start has printed behind the #, link_…
   */
  token: string;
}
export interface AcceptInvitationBody {
  /**
   * The invitation's token, inv_…
   */
  token: string;
  /**
   * The person's name as others see it.
   */
  name: string;
  /**
   * A new one, or that of the account that the address has already.
   */
  password: string;
}
export interface InviteMemberBody {
  /**
   * An e-mail address.
   */
  email: string;
  /**
   * What the person may do in the tenant.
   */
  role: 'viewer' | 'editor' | 'admin' | 'owner';
}
export interface ChangeMemberBody {
  /**
   * What the person may do in the tenant.
   */
  role: 'viewer' | 'editor' | 'admin' | 'owner';
}
export interface ChangePromptBody {
  /**
   * The whole prompt.
   */
  prompt: string;
  /**
   * First line of the commit.
   */
  message?: string;
  /**
   * On a branch of its own, which is merged by somebody; or on the branch that is live, where that is permitted.
   */
  as?: 'proposal' | 'commit';
}
export interface PreviewPromptBody {
  /**
   * The whole prompt, as it might be written.
   */
  prompt: string;
  /**
   * Of the instructions: a language of the agent; its default otherwise.
   */
  language?: string;
}
export interface ChangeWebhookBody {
  /**
   * An https address, or {env: NAME} when the address itself is a secret. Left out: nothing is sent.
   */
  url?:
    | string
    | {
        /**
         * Name of an environment variable.
         */
        env: string;
      };
  /**
   * First line of the commit.
   */
  message?: string;
  /**
   * On a branch of its own, which is merged by somebody; or on the branch that is live, where that is permitted.
   */
  as?: 'proposal' | 'commit';
}
export interface ChangeTenantBody {
  /**
   * As people see it.
   */
  name?: string;
  /**
   * Declared in the stack configuration.
   */
  slug?: {
    [k: string]: unknown;
  };
  /**
   * Declared in the stack configuration.
   */
  features?: {
    [k: string]: unknown;
  };
  /**
   * Declared in the stack configuration.
   */
  caps?: {
    [k: string]: unknown;
  };
}
export interface TestWebhookBody {
  /**
   * Its file name without .yaml.
   */
  agent: string;
}
export interface RegenerateCredentialBody {
  /**
   * So long earlier ones go on: not at all, an hour, a day.
   */
  graceSeconds: 0 | 3600 | 86400;
}
export interface TryAgentBody {
  /**
   * The agent's id: its file name without .yaml.
   */
  agent: string;
  /**
   * A language of the agent; its default otherwise.
   */
  language?: string;
  /**
   * A voice of that language; its default otherwise.
   */
  voiceId?: string;
  /**
   * The agent's own otherwise.
   */
  interactionMode?: 'VOICE' | 'TEXT';
  /**
   * Sends the agent's webhook as for any conversation. Default: false.
   */
  webhook?: boolean;
}
