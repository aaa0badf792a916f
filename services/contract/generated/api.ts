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
  linkIdentity: LinkIdentityBody;
  finishLink: FinishLinkBody;
  signInByLink: SignInByLinkBody;
  acceptInvitation: AcceptInvitationBody;
  inviteMember: InviteMemberBody;
  changeMember: ChangeMemberBody;
  addScenario: AddScenarioBody;
  changePrompt: ChangePromptBody;
  previewPrompt: PreviewPromptBody;
  changeWebhook: ChangeWebhookBody;
  changeTenant: ChangeTenantBody;
  testWebhook: TestWebhookBody;
  regenerateCredential: RegenerateCredentialBody;
  tryAgent: TryAgentBody;
  createTrunk: CreateTrunkBody;
  changeTrunk: ChangeTrunkBody;
  createNumber: CreateNumberBody;
  changeNumber: ChangeNumberBody;
  askForCall: AskForCallBody;
  optOut: OptOutBody;
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
export interface LinkIdentityBody {
  /**
   * The own one, of whoever has one.
   */
  password?: string;
}
export interface FinishLinkBody {
  /**
   * What the identity provider has added to our address, with the question mark.
   */
  query: string;
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
export interface AddScenarioBody {
  /**
   * What it is called in the agent's file; one from the conversation where it is left out.
   */
  name?: string;
  /**
   * Whether addresses and numbers of people are taken out.
   */
  redact?: boolean;
  /**
   * First line of the commit.
   */
  message?: string;
  /**
   * On a branch of its own, which is merged by somebody; or on the branch that is live, where that is permitted.
   */
  as?: 'proposal' | 'commit';
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
export interface CreateTrunkBody {
  /**
   * As people see it.
   */
  name: string;
  /**
   * Host, or host:port, of the carrier.
   */
  address: string;
  /**
   * How SIP is spoken with it. Default udp.
   */
  transport?: 'udp' | 'tcp' | 'tls';
  /**
   * For digest authentication; goes with password.
   */
  username?: string;
  /**
   * The name of the variable that has the password, never the password.
   */
  password?: {
    /**
     * Name of an environment variable.
     */
    env: string;
  };
  /**
   * From which calls are taken: IP addresses, or networks such as 203.0.113.0/24.
   *
   * @maxItems 50
   */
  allowedAddresses?: string[];
  /**
   * What may be dialled, such as +49. None: nothing.
   *
   * @maxItems 100
   */
  allowedPrefixes?: string[];
  /**
   * Default 0: nothing is dialled.
   */
  maxDialsPerMinute?: number;
  /**
   * Of each allowed prefix, by days of UTC. Default 0.
   */
  maxCallsPerDay?: number;
  /**
   * The same, of minutes. Default 0.
   */
  maxMinutesPerDay?: number;
}
export interface ChangeTrunkBody {
  /**
   * Host, or host:port, of the carrier.
   */
  address?: string;
  /**
   * How SIP is spoken with it. Default udp.
   */
  transport?: 'udp' | 'tcp' | 'tls';
  /**
   * For digest authentication; goes with password.
   */
  username?: string;
  /**
   * The name of the variable that has the password, never the password.
   */
  password?: {
    /**
     * Name of an environment variable.
     */
    env: string;
  };
  /**
   * Takes the user name and the password away: calls are taken from allowedAddresses alone.
   */
  byPassword?: false;
  /**
   * From which calls are taken: IP addresses, or networks such as 203.0.113.0/24.
   *
   * @maxItems 50
   */
  allowedAddresses?: string[];
  /**
   * What may be dialled, such as +49. None: nothing.
   *
   * @maxItems 100
   */
  allowedPrefixes?: string[];
  /**
   * Default 0: nothing is dialled.
   */
  maxDialsPerMinute?: number;
  /**
   * Of each allowed prefix, by days of UTC. Default 0.
   */
  maxCallsPerDay?: number;
  /**
   * The same, of minutes. Default 0.
   */
  maxMinutesPerDay?: number;
}
export interface CreateNumberBody {
  /**
   * As +4930123456.
   */
  number: string;
  /**
   * The id of the trunk that reaches it.
   */
  trunk: string;
  /**
   * Its file name without .yaml.
   */
  agent?: string;
  /**
   * A language of the agent; its default otherwise.
   */
  language?: string;
  /**
   * When calls are taken; "always" is the default.
   */
  hours?:
    | {
        /**
         * IANA name of a time zone, such as Europe/Berlin.
         */
        zone: string;
        /**
         * Spans of the week; none: never.
         *
         * @maxItems 14
         */
        open: {
          /**
           * Days of the week.
           *
           * @minItems 1
           */
          days: ('mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun')[];
          /**
           * The first minute, such as 09:00.
           */
          from: string;
          /**
           * The minute after the last one; at most 24:00.
           */
          to: string;
        }[];
      }
    | string;
  /**
   * What a caller hears who is not put through. Default busy.
   */
  whenRefused?: 'busy' | 'sentence';
}
export interface ChangeNumberBody {
  /**
   * The id of the trunk that reaches it.
   */
  trunk?: string;
  /**
   * Its file name without .yaml.
   */
  agent?: string;
  /**
   * A language of the agent; its default otherwise.
   */
  language?: string;
  /**
   * When calls are taken; "always" is the default.
   */
  hours?:
    | {
        /**
         * IANA name of a time zone, such as Europe/Berlin.
         */
        zone: string;
        /**
         * Spans of the week; none: never.
         *
         * @maxItems 14
         */
        open: {
          /**
           * Days of the week.
           *
           * @minItems 1
           */
          days: ('mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun')[];
          /**
           * The first minute, such as 09:00.
           */
          from: string;
          /**
           * The minute after the last one; at most 24:00.
           */
          to: string;
        }[];
      }
    | string;
  /**
   * What a caller hears who is not put through. Default busy.
   */
  whenRefused?: 'busy' | 'sentence';
}
export interface AskForCallBody {
  /**
   * A number of the tenant.
   */
  from: string;
  /**
   * Whom to call.
   */
  to: string;
  /**
   * Its file name without .yaml; the agent of the number otherwise.
   */
  agent?: string;
  /**
   * A language of the agent; its default otherwise.
   */
  language?: string;
  /**
   * What the agent is told of this call, by the names that its file declares.
   */
  variables?: {
    [k: string]: string;
  };
  /**
   * IANA name of the zone where the person is; needed where their country has several.
   */
  timeZone?: string;
  /**
   * On which ground the person is called.
   */
  consent?: string;
}
export interface OptOutBody {
  /**
   * Who asked not to be called.
   */
  number: string;
  /**
   * How it came to be known. Default: asked by the account API.
   */
  why?: string;
}
