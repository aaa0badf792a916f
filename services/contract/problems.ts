/** A refusal that its caller may read. Anything else that is thrown is a fault of ours and shows no text. */
export class Problem extends Error {
  readonly status: number;
  readonly code: string;
  readonly details: ProblemDetail[] | undefined;
  readonly headers: Record<string, string>;
  /** Facts for our log line of the request, which the caller does not see. */
  readonly logged: Record<string, unknown>;

  constructor(
    status: number,
    code: string,
    message: string,
    { details, headers = {}, logged = {} }: ProblemOptions = {},
  ) {
    super(message);
    this.name = 'Problem';
    this.status = status;
    this.code = code;
    this.details = details;
    this.headers = headers;
    this.logged = logged;
  }
}

export interface ProblemDetail {
  path: string;
  message: string;
}

interface ProblemOptions {
  details?: ProblemDetail[];
  headers?: Record<string, string>;
  logged?: Record<string, unknown>;
}

const retryAfter = (seconds: number) => ({ headers: { 'Retry-After': String(seconds) } });

/** Every refusal there is, by situation; `docs/call/rest.md` lists them for callers. */
export const problems = {
  notFound: () =>
    new Problem(404, 'not_found', 'There is nothing at this address. The routes are listed in the documentation.'),
  pageNotBuilt: () => new Problem(404, 'not_found', 'The page is not built yet: npm start builds it.'),
  methodNotAllowed: (method: string, allowed: readonly string[]) =>
    new Problem(405, 'method_not_allowed', `${method} is not answered here. Use ${allowed.join(' or ')}.`, {
      headers: { Allow: allowed.join(', ') },
    }),

  invalidApiKey: () =>
    new Problem(
      401,
      'invalid_api_key',
      'Send the agent API key as "Authorization: Bearer pk_…"; this one is missing, malformed, unknown or revoked.',
    ),
  secretAsBearer: () =>
    new Problem(
      401,
      'wrong_credential_type',
      'This is the agent API secret. It is never sent: use the key (pk_…) here, and regenerate the secret if others may have seen it.',
    ),
  userTokenOnAgentRoute: () =>
    new Problem(401, 'wrong_credential_type', 'This is a user token; this route takes the agent API key (pk_…).'),
  agentCredentialOnAccountRoute: () =>
    new Problem(401, 'wrong_credential_type', 'This is an agent credential; the account API takes a user token.'),
  invalidToken: () =>
    new Problem(401, 'invalid_token', 'Send a valid user token as "Authorization: Bearer …"; sign in to get one.'),
  signInFailed: () =>
    new Problem(
      401,
      'sign_in_failed',
      'This address and this password do not go together. Try again, or ask an operator for a new one.',
    ),
  agentDisabled: () =>
    new Problem(
      401,
      'agent_disabled',
      'This agent was disabled or its file was deleted. Its operator can bring it back.',
    ),
  signatureMissing: () =>
    new Problem(
      401,
      'invalid_signature',
      'This agent takes signed requests only: send X-Signature: t=<unix seconds>,v1=<HMAC-SHA256 with the agent secret>.',
    ),
  signatureInvalid: (why: string) =>
    new Problem(401, 'invalid_signature', `The X-Signature header does not hold: ${why}.`),

  invalidRoomEvent: () =>
    new Problem(401, 'invalid_token', 'This event was not signed by the room server with its own key.'),

  originNotAllowed: (origin: string) =>
    new Problem(
      403,
      'origin_not_allowed',
      `Pages of ${origin} may not use this agent. Add the origin to allowedOrigins in the agent's file.`,
    ),
  challengeRequired: (why: string) =>
    new Problem(403, 'challenge_required', `This agent asks for a challenge that a person solves: ${why}.`),
  challengeDown: () =>
    new Problem(
      503,
      'unavailable',
      'Whether a person asks cannot be verified now: the provider of the challenge does not answer. Try again soon.',
      retryAfter(5),
    ),
  challengeNotSetUp: (variable: string) =>
    new Problem(
      503,
      'unavailable',
      `This agent asks for a challenge that this deployment cannot verify: its operator has to set ${variable} rightly.`,
    ),
  promptOverrideNotAllowed: (why: string) =>
    new Problem(403, 'prompt_override_not_allowed', `systemPrompt was refused: ${why}.`),

  foreignOrigin: (origin: string) =>
    new Problem(403, 'origin_not_allowed', `Pages of ${origin} may not use the account API: it answers its own pages.`),
  originMissing: () =>
    new Problem(
      403,
      'origin_not_allowed',
      'This route takes a cookie, so it wants to know the page that asks: send Origin.',
    ),
  forbidden: () =>
    new Problem(403, 'forbidden', 'Your role in this tenant does not permit this. Ask one of its owners.'),

  invitationNotOpen: () =>
    new Problem(
      404,
      'invitation_not_open',
      'This invitation was accepted, withdrawn or has expired. Ask whoever sent it for another one.',
    ),
  noIdentityProvider: () =>
    new Problem(409, 'not_configured', 'No identity provider is configured here: sign in by e-mail and password.'),
  noPasswords: (provider: string) =>
    new Problem(409, 'not_configured', `Passwords are refused here: sign in by ${provider}.`),
  signInExpired: () =>
    new Problem(
      401,
      'sign_in_expired',
      'This sign-in took longer than 10 minutes, or was finished already. Begin again.',
    ),
  signInCancelled: (logged: Record<string, unknown> = {}) =>
    new Problem(401, 'sign_in_cancelled', 'The sign-in was cancelled at the identity provider. Begin again.', {
      logged,
    }),
  signInRefused: (logged: Record<string, unknown> = {}) =>
    new Problem(
      401,
      'sign_in_refused',
      'What the identity provider has said does not hold. Begin again, or ask an operator to look at the log.',
      { logged },
    ),
  issuerAway: (logged: Record<string, unknown> = {}) =>
    new Problem(503, 'unavailable', 'The identity provider cannot be reached at the moment. Try again shortly.', {
      ...retryAfter(2),
      logged,
    }),
  notInvited: () =>
    new Problem(
      403,
      'not_invited',
      'Nobody has invited the address that the identity provider has verified for you. Ask an owner of the tenant to invite it.',
    ),
  accountExists: () =>
    new Problem(
      409,
      'account_exists',
      'Somebody with this address has an account here already, which the address alone does not open. Sign in as you did before, and link the identity provider to it; where that way is closed, ask whoever runs this installation.',
    ),
  linkOfAnother: () =>
    new Problem(
      403,
      'link_of_another',
      'Another sign-in has begun to link this identity, so nothing was linked. Begin again on your own page.',
    ),
  identityTaken: () =>
    new Problem(
      409,
      'identity_taken',
      'Whom you have signed in as at the identity provider is somebody else here. Sign out there, and begin again.',
    ),
  tooManyIdentities: (most: number) =>
    new Problem(
      409,
      'too_many_identities',
      `No more than ${most} identities are linked to a person: unlink one first.`,
    ),
  identityNotFound: () => new Problem(404, 'identity_not_found', 'You have no identity with this id.'),
  lastWayIn: () =>
    new Problem(
      409,
      'last_way_in',
      'This is the only way in that you have: link another one first, or have a password set.',
    ),
  noMail: () =>
    new Problem(
      409,
      'not_configured',
      'No mail is sent from here: ask an operator, who sets a new password by "parley people reset-password".',
    ),
  resetNotOpen: () =>
    new Problem(404, 'reset_not_open', 'This link was used, or is older than 30 minutes. Ask for another one.'),
  linkNotOpen: () =>
    new Problem(
      404,
      'link_not_open',
      'This link was used, or is older than 10 minutes. "npx parley people link" prints another one.',
    ),
  memberNotFound: () => new Problem(404, 'member_not_found', 'This tenant has no member or invitation with this id.'),
  sessionOfTenantNotFound: () => new Problem(404, 'session_not_found', 'This tenant has no conversation with this id.'),
  changeNotFound: () => new Problem(404, 'change_not_found', 'This tenant has no change with this id.'),
  deliveryNotFound: () => new Problem(404, 'delivery_not_found', 'This tenant has no delivery with this id.'),
  /** @param how one comes by it, in whole sentences */
  trunkNotFound: () => new Problem(404, 'trunk_not_found', 'This tenant has no trunk with this id.'),
  numberNotFound: () =>
    new Problem(
      404,
      'number_not_found',
      'This tenant does not have this telephone number. Add it first: POST …/numbers.',
    ),
  callNotFound: () => new Problem(404, 'call_not_found', 'This tenant has no call with this id.'),
  optOutNotFound: () =>
    new Problem(404, 'opt_out_not_found', 'This number is not on the list of those who are not called.'),
  trunkNameTaken: (name: string) =>
    new Problem(409, 'name_taken', `This tenant has a trunk "${name}" already. Give another name, or change that one.`),
  trunkOpen: () =>
    new Problem(
      409,
      'trunk_open',
      'Anybody could call in by this trunk: give username and password, or allowedAddresses, or both.',
    ),
  trunkInUse: () =>
    new Problem(
      409,
      'trunk_in_use',
      'Numbers are reached by this trunk. Delete them, or give them another trunk, first.',
    ),
  numberTaken: () =>
    new Problem(409, 'number_taken', 'Somebody has this telephone number already. A number belongs to one tenant.'),
  outboundNotAllowed: (agent: string) =>
    new Problem(409, 'outbound_not_allowed', `"${agent}" may call nobody. Its file permits it by phone.outbound.`),
  consentMissing: () =>
    new Problem(
      400,
      'consent_missing',
      'Say in "consent" on which ground the person is called: this agent asks for it.',
    ),
  zoneUnknown: () =>
    new Problem(
      400,
      'time_zone_needed',
      'Give "timeZone", such as America/Chicago: where this number is, several clocks go.',
    ),
  outsideCallingHours: (hours: string) =>
    new Problem(
      409,
      'outside_calling_hours',
      `It is too early or too late to call this person: ${hours}. Ask again later.`,
    ),
  optedOut: () => new Problem(409, 'opted_out', 'This person has asked not to be called.'),
  prefixNotAllowed: () =>
    new Problem(
      409,
      'prefix_not_allowed',
      'The trunk of this number does not permit calls there. Its allowedPrefixes say where to.',
    ),
  dialRate: () =>
    new Problem(
      429,
      'dial_rate_limit',
      'The trunk has made as many calls in this minute as it may (maxDialsPerMinute). Try again in a minute.',
      retryAfter(60),
    ),
  callsOfDay: (prefix: string) =>
    new Problem(
      429,
      'daily_call_limit',
      `No more calls to ${prefix} today (maxCallsPerDay of the trunk, by days of UTC).`,
      retryAfter(3600),
    ),
  minutesOfDay: (prefix: string) =>
    new Problem(
      429,
      'daily_minute_limit',
      `The minutes to ${prefix} of today are used up, or kept for calls that go on (maxMinutesPerDay of the trunk, by days of UTC).`,
      retryAfter(3600),
    ),
  callAnswered: () =>
    new Problem(
      409,
      'call_answered',
      'This call was answered: end its conversation instead, by POST …/sessions/:id/end.',
    ),
  notConfigured: (how: string) => new Problem(409, 'not_configured', how),
  sessionLive: () =>
    new Problem(409, 'session_live', 'This conversation is not over yet. End it first, or wait until it has ended.'),
  nothingSaid: () =>
    new Problem(409, 'nothing_said', 'The person said nothing in this conversation: there is nothing to try.'),
  ticketInvalid: () =>
    new Problem(
      401,
      'invalid_ticket',
      'This ticket was used before or is older than a minute. Ask for another: POST /api/tenants/…/exports.',
    ),
  tooManyStreams: () =>
    new Problem(
      429,
      'too_many_streams',
      'You have as many live views open as one person may. Close one.',
      retryAfter(5),
    ),
  lastOwner: () => new Problem(409, 'last_owner', 'A tenant keeps an owner: make somebody else an owner first.'),
  alreadyMember: (email: string) =>
    new Problem(409, 'already_member', `${email} is a member already, or is being invited. Change the role instead.`),

  sessionNotFound: () => new Problem(404, 'session_not_found', 'This agent has no session with this id.'),
  roomNotFound: () => new Problem(404, 'session_not_found', 'This agent has no session in a room of this name.'),
  agentNotFound: (agent: string) =>
    new Problem(404, 'agent_not_found', `There is no agent "${agent}". Its id is its file name without .yaml.`),
  versionNotFound: (agent: string, version: string) =>
    new Problem(404, 'version_not_found', `"${agent}" has no version "${version}". Its versions are listed with it.`),
  tenantNotFound: (tenant: string) => new Problem(404, 'tenant_not_found', `There is no tenant "${tenant}".`),

  promptConflict: (agent: string) =>
    new Problem(
      409,
      'prompt_conflict',
      `The file of "${agent}" has changed since you opened it. Nothing was written: open it again and repeat your change.`,
    ),
  promptsReadOnly: (how: string) => new Problem(409, 'prompts_read_only', `Agents are changed in their files. ${how}`),
  preconditionRequired: () =>
    new Problem(
      428,
      'precondition_required',
      'Send If-Match with the ETag of what you have changed, as it was given with it: others may have changed it since.',
    ),
  preconditionFailed: () =>
    new Problem(
      412,
      'precondition_failed',
      'This has changed since you read it, or If-Match holds no ETag of it. Nothing was written: read it again.',
    ),
  managedByStack: (field: string) =>
    new Problem(
      409,
      'managed_by_stack',
      `"${field}" is declared in the stack configuration, or by the operator: it is changed there.`,
    ),
  proposalExists: (branch: string) =>
    new Problem(409, 'proposal_exists', `There is a branch "${branch}" already. Nothing was written: name another.`),
  branchProtected: (branch: string) =>
    new Problem(
      409,
      'branch_protected',
      `The repository takes no changes on "${branch}", which may be protected. Nothing was written: propose the change instead.`,
    ),
  promptNotEditable: (agent: string) =>
    new Problem(
      409,
      'prompt_not_editable',
      `The file of "${agent}" has mistakes or no prompt, so it can be changed in the repository only.`,
    ),

  sessionEnded: () => new Problem(409, 'session_ended', 'This session is over. Create a new one.'),
  transcriptClosed: () =>
    new Problem(409, 'session_ended', 'This session ended more than 30 seconds ago; its transcript is closed.'),
  transcriptFull: () =>
    new Problem(
      429,
      'transcript_full',
      'This session has 2000 client lines already; no more are kept.',
      retryAfter(3600),
    ),

  invalidJson: () => new Problem(400, 'invalid_json', 'The body is not valid JSON.'),
  invalidRequest: (message: string, details?: ProblemDetail[]) =>
    new Problem(400, 'invalid_request', message, details ? { details } : {}),
  languageNotConfigured: (given: string, configured: readonly string[]) =>
    new Problem(
      400,
      'language_not_configured',
      `The agent does not speak "${given}". Configured: ${configured.join(', ')}.`,
    ),
  voiceNotAvailable: (given: string, language: string, available: readonly string[]) =>
    new Problem(
      400,
      'voice_not_available',
      available.length > 0
        ? `The voice "${given}" is not available in "${language}". Available: ${available.join(', ')}.`
        : `The voice "${given}" is not available: "${language}" has no voices to choose from. Leave voiceId out.`,
    ),
  payloadTooLarge: (limitBytes: number) =>
    new Problem(413, 'payload_too_large', `The body is larger than ${limitBytes} bytes. Send less.`),
  unsupportedMediaType: () =>
    new Problem(
      415,
      'unsupported_media_type',
      'Send the body as application/json in UTF-8, without a content encoding.',
    ),
  headersTooLarge: () =>
    new Problem(431, 'headers_too_large', 'The request headers are too large. Send fewer or shorter ones.'),
  requestTimeout: () => new Problem(408, 'request_timeout', 'The request did not arrive whole in time. Send it again.'),
  malformedRequest: () => new Problem(400, 'invalid_request', 'The request is not valid HTTP.'),

  idempotencyKeyReused: () =>
    new Problem(
      422,
      'idempotency_key_reused',
      'This Idempotency-Key was used with another body. Use a new key for a new request.',
    ),
  idempotencyKeyInProgress: () =>
    new Problem(
      409,
      'idempotency_key_in_progress',
      'The first request with this Idempotency-Key is still running. Try again in a second.',
      retryAfter(1),
    ),

  rateLimited: (seconds: number) =>
    new Problem(
      429,
      'rate_limited',
      `Too many requests. Wait ${seconds} s, then go on more slowly.`,
      retryAfter(seconds),
    ),
  /** The fields are those that `express-rate-limit` gives to other answers (draft 8 of the IETF's). */
  keysRefused: (limit: number, seconds: number) =>
    new Problem(
      429,
      'rate_limited',
      `${limit} keys of this address were refused within a minute. Wait ${seconds} s, then send a key that is good.`,
      {
        headers: {
          ...retryAfter(seconds).headers,
          'RateLimit-Policy': `"refused-keys"; q=${limit}; w=60`,
          RateLimit: `"refused-keys"; r=0; t=${seconds}`,
        },
      },
    ),
  concurrencyLimit: () =>
    new Problem(
      429,
      'concurrency_limit',
      'As many sessions as this agent or its tenant may have are running. End one, or try again later.',
      retryAfter(30),
    ),
  unjoinedLimit: (cap: number) =>
    new Problem(
      429,
      'concurrency_limit',
      `${cap} sessions of this key and address wait for somebody to join. Join or end them first.`,
      retryAfter(30),
    ),
  visitorLimit: () =>
    new Problem(
      429,
      'visitor_limit',
      "This address has as many conversations as limits.visitor of the agent's file allow, or has used up the minutes of the day. End one, or try again later.",
      retryAfter(30),
    ),
  unsignedLimit: () =>
    new Problem(
      429,
      'visitor_limit',
      "Unsigned requests without an Origin have as many conversations as limits.unsigned of the agent's file allow, or have used up the minutes of the day. Sign requests of your servers, or raise the limit.",
      retryAfter(30),
    ),
  minuteLimit: () =>
    new Problem(429, 'minute_limit', 'The minutes of this day or month are used up.', retryAfter(3600)),
  tokenLimit: () =>
    new Problem(429, 'token_limit', "Today's model tokens of this agent are used up.", retryAfter(3600)),

  noCapacity: () =>
    new Problem(
      503,
      'no_capacity',
      'No agent host has room for this session at the moment. Try again shortly.',
      retryAfter(1),
    ),
  voiceUnavailable: (why: readonly string[]) =>
    new Problem(
      503,
      'voice_unavailable',
      'This deployment cannot speak as this agent in this language. Ask for interactionMode "TEXT".',
      { ...retryAfter(3600), logged: { why } },
    ),
  voiceAway: (voice: string, why: readonly string[]) =>
    new Problem(
      503,
      'voice_unavailable',
      `No host can speak with the voice "${voice}" at the moment. Ask for another voice, or try again shortly.`,
      { ...retryAfter(60), logged: { why } },
    ),
  unavailable: (what: string) =>
    new Problem(503, 'unavailable', `${what} cannot be reached at the moment. Try again shortly.`, retryAfter(2)),
  databaseFull: () =>
    new Problem(
      503,
      'unavailable',
      'The database has no room left: nothing can be stored until its operator makes some.',
      retryAfter(30),
    ),
  tooManyCreations: () =>
    new Problem(
      503,
      'unavailable',
      'More sessions are asked for than can be created at the moment. Try again shortly.',
      retryAfter(2),
    ),
  internal: () =>
    new Problem(
      500,
      'internal',
      'Something went wrong on our side. The X-Request-Id header names the request in our log.',
    ),
};
