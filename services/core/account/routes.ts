/** Who may call what: the one place that says it. The API, docs/call/account.md and the tests are made from it. */
import { isAtLeast, type Role } from '../../contract/roles.ts';

export interface AccountRoute {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  path: string;
  /** `anybody`: no token is asked for; `person`: whoever has signed in; else the least role in the tenant. */
  who: 'anybody' | 'person' | Role;
  says: string;
}

export const accountRoutes = [
  {
    method: 'POST',
    path: '/auth/sign-in',
    who: 'anybody',
    says: 'Signs in by `{email, password}`: an access token, and a cookie that refreshes it.',
  },
  {
    method: 'POST',
    path: '/auth/refresh',
    who: 'anybody',
    says: 'By the cookie: the next access token, and the next cookie.',
  },
  { method: 'POST', path: '/auth/sign-out', who: 'anybody', says: 'By the cookie: ends the sign-in.' },
  {
    method: 'GET',
    path: '/auth/ways',
    who: 'anybody',
    says: 'How people may sign in here: `password`, `openIdConnect` (null, or its `name`), `resetByMail`.',
  },
  {
    method: 'POST',
    path: '/auth/oidc',
    who: 'anybody',
    says: 'Begins to sign in by the identity provider, with `{invitation, to}` or nothing: the `location` where the page goes, and a cookie.',
  },
  {
    method: 'GET',
    path: '/auth/oidc/callback',
    who: 'anybody',
    says: 'Where the identity provider sends people back to: signs in, and leads to the page `to`, or to `/sign-in#error=…`; whoever links an identity, to `/account#link?…`.',
  },
  {
    method: 'POST',
    path: '/auth/oidc/link',
    who: 'person',
    says: 'Finishes what `POST /api/me/identities` has begun, by the `{query}` with which the identity provider has sent the person back, and the cookie: once, and only in the same sign-in.',
  },
  {
    method: 'POST',
    path: '/auth/forgotten-password',
    who: 'anybody',
    says: 'Mails whoever has `{email}` a link to choose a new password. The answer, 202, is the same where nobody has it.',
  },
  {
    method: 'POST',
    path: '/auth/reset-password',
    who: 'anybody',
    says: 'A new `{password}` by the `{token}` of that letter, once, within 30 minutes: ends every sign-in, and signs in.',
  },
  {
    method: 'POST',
    path: '/invitation',
    who: 'anybody',
    says: 'Accepts an invitation, once, by `{token, name, password}`, and signs in. Whoever has an account already gives its password.',
  },
  { method: 'GET', path: '/api/me', who: 'person', says: 'Who I am, and what in which tenant.' },
  {
    method: 'GET',
    path: '/api/me/identities',
    who: 'person',
    says: 'What lets me in: `hasPassword`, and `items`, whom identity providers know me as.',
  },
  {
    method: 'POST',
    path: '/api/me/identities',
    who: 'person',
    says: 'Begins to link the identity provider to me, with my `{password}` where I have one: the `location` where the page goes, and a cookie. It leads back to `/account#link?…`, where the page finishes it.',
  },
  {
    method: 'DELETE',
    path: '/api/me/identities/:identity',
    who: 'person',
    says: 'Unlinks it, and ends my other sign-ins; the last way in stays: 409 `last_way_in`.',
  },
  {
    method: 'GET',
    path: '/api/capabilities',
    who: 'person',
    says: 'What this deployment can do, and how to configure what it cannot.',
  },
  {
    method: 'GET',
    path: '/api/tenants/:tenant',
    who: 'viewer',
    says: 'The tenant, with what is switched on and its caps.',
  },
  {
    method: 'PATCH',
    path: '/api/tenants/:tenant',
    who: 'admin',
    says: 'Another `{name}`, by If-Match. What is switched on and the caps are declared in the stack: 409 `managed_by_stack`.',
  },
  {
    method: 'GET',
    path: '/api/tenants/:tenant/health',
    who: 'viewer',
    says: 'Whether database, room server, agent hosts and worker are there, and what to do about what is not; figures, and the releases that run, for `admin` and above of the own tenant of the deployment.',
  },
  {
    method: 'GET',
    path: '/api/tenants/:tenant/members',
    who: 'viewer',
    says: 'Members by name; with the first page, for `admin` and above, who is invited; `limit`, `cursor`.',
  },
  {
    method: 'POST',
    path: '/api/tenants/:tenant/members',
    who: 'admin',
    says: 'Invites `{email, role}`, to no more than the own role. It is mailed (`mailed`), or else the answer has the token, which is shown nowhere again.',
  },
  {
    method: 'GET',
    path: '/api/tenants/:tenant/members/:member',
    who: 'viewer',
    says: 'A member, with the ETag that the list names `etag`, too.',
  },
  {
    method: 'PATCH',
    path: '/api/tenants/:tenant/members/:member',
    who: 'admin',
    says: 'Another `{role}`, by If-Match. Only an owner makes an owner, or changes one.',
  },
  {
    method: 'DELETE',
    path: '/api/tenants/:tenant/members/:member',
    who: 'admin',
    says: 'Removes a member, or withdraws an invitation by its id, by If-Match. Only an owner removes an owner.',
  },
  {
    method: 'GET',
    path: '/api/tenants/:tenant/sessions',
    who: 'viewer',
    says: 'Conversations, the newest first, filtered and page by page (below).',
  },
  {
    method: 'GET',
    path: '/api/tenants/:tenant/sessions/:session',
    who: 'viewer',
    says: 'A conversation, with its tools and the evidence for its minutes; arguments and results of tools for `editor` and above.',
  },
  {
    method: 'POST',
    path: '/api/tenants/:tenant/sessions',
    who: 'editor',
    says: 'Tries an agent by `{agent, language, voiceId, interactionMode, webhook}`: what it takes to join the room. A test is shown, not billed, in no analytics; no webhook unless asked.',
  },
  {
    method: 'DELETE',
    path: '/api/tenants/:tenant/sessions/:session',
    who: 'admin',
    says: 'Erases it with all that is stored of it, by If-Match; a live one ends first. The answer is the record that stays.',
  },
  {
    method: 'POST',
    path: '/api/tenants/:tenant/sessions/:session/end',
    who: 'editor',
    says: 'Ends a live one (`dashboard_ended`); one that is over stays as it is.',
  },
  {
    method: 'GET',
    path: '/api/tenants/:tenant/sessions/:session/messages',
    who: 'viewer',
    says: 'What was said, in order; `limit`, `cursor`.',
  },
  {
    method: 'GET',
    path: '/api/tenants/:tenant/sessions/:session/scenario',
    who: 'editor',
    says: 'It as a scenario of its agent, for its file in Git; `name`, `redact`.',
  },
  {
    method: 'POST',
    path: '/api/tenants/:tenant/sessions/:session/scenario',
    who: 'editor',
    says: 'Adds it to the scenarios of its agent, `{name, redact, message, as}`, as a prompt is written; 202 while it is pending after 20 s.',
  },
  {
    method: 'POST',
    path: '/api/tenants/:tenant/exports',
    who: 'viewer',
    says: 'An address to fetch an export from, once, within 60 s; `format` is `csv` or `jsonl`, filtered as the list is.',
  },
  {
    method: 'GET',
    path: '/api/tenants/:tenant/sessions.csv',
    who: 'anybody',
    says: 'By `ticket`: conversations, one a line. Ends when the person may not see them any more.',
  },
  {
    method: 'GET',
    path: '/api/tenants/:tenant/sessions.jsonl',
    who: 'anybody',
    says: 'By `ticket`: the same with what was said and which tools were called.',
  },
  {
    method: 'GET',
    path: '/api/tenants/:tenant/live',
    who: 'viewer',
    says: 'Conversations that are not over, as server-sent events: `sessions` whenever something changed.',
  },
  {
    method: 'GET',
    path: '/api/tenants/:tenant/sessions/:session/live',
    who: 'viewer',
    says: 'One as server-sent events: `message`, `draft`, `state`, `ended`; goes on from `Last-Event-ID`.',
  },
  {
    method: 'GET',
    path: '/api/tenants/:tenant/analytics',
    who: 'viewer',
    says: 'Figures by hour or day; `from`, `to`, `bucket`, `agent`, `version`, `channel`, `language`, `mode`, `compare`.',
  },
  {
    method: 'GET',
    path: '/api/tenants/:tenant/prompts',
    who: 'viewer',
    says: 'Agents with prompt, version, commit, languages and tools, and why what stands in their files is not live; `limit`, `cursor`.',
  },
  {
    method: 'GET',
    path: '/api/tenants/:tenant/prompts/:agent',
    who: 'viewer',
    says: 'The same of one agent, with what its model is told, and its file as it stands in the source, whose id is the ETag; `language`.',
  },
  {
    method: 'PUT',
    path: '/api/tenants/:tenant/prompts/:agent',
    who: 'editor',
    says: 'Writes `{prompt, message, as}` into its file, by If-Match: as a `proposal`, or as a `commit` where that is permitted; 202 while it is pending after 20 s.',
  },
  {
    method: 'POST',
    path: '/api/tenants/:tenant/prompts/:agent/preview',
    who: 'editor',
    says: 'What `{prompt, language}` would become, and writes nothing: instructions, tokens, what is wrong with it, and the difference from its file.',
  },
  {
    method: 'GET',
    path: '/api/tenants/:tenant/prompts/:agent/versions',
    who: 'viewer',
    says: 'Its versions, the newest first, with what each changed; `limit`, `cursor`.',
  },
  {
    method: 'GET',
    path: '/api/tenants/:tenant/prompts/:agent/versions/:version',
    who: 'viewer',
    says: 'A version in full, and what it changed line by line: of the one before it, or of `against`.',
  },
  {
    method: 'GET',
    path: '/api/tenants/:tenant/scenarios',
    who: 'viewer',
    says: 'The scenarios beside each agent: what came of each with the version that is live, and the last versions that passed all of them, by model.',
  },
  {
    method: 'POST',
    path: '/api/tenants/:tenant/agents/:agent/scenarios/run',
    who: 'editor',
    says: 'Has a worker run them against the version that is live: 202, and `isRunning` of the list says when it is over.',
  },
  {
    method: 'GET',
    path: '/api/tenants/:tenant/revisions',
    who: 'viewer',
    says: "What the source of the agents' files offered, the newest first, and what came of it: live, or refused, each reason with its place; `limit`, `cursor`.",
  },
  {
    method: 'GET',
    path: '/api/tenants/:tenant/agents/:agent/credentials',
    who: 'viewer',
    says: 'Keys and secrets that work, by their first characters: since when, last used, until when; for `editor` and above the key itself.',
  },
  {
    method: 'POST',
    path: '/api/tenants/:tenant/agents/:agent/credentials/key/regenerate',
    who: 'admin',
    says: 'A new key. Earlier ones work for `{graceSeconds}` more: 0, 3600 or 86400.',
  },
  {
    method: 'POST',
    path: '/api/tenants/:tenant/agents/:agent/credentials/secret/regenerate',
    who: 'admin',
    says: 'A new secret, which is shown nowhere again. Earlier ones sign beside it for `{graceSeconds}` more: 0, 3600 or 86400.',
  },
  {
    method: 'GET',
    path: '/api/tenants/:tenant/webhook',
    who: 'admin',
    says: "Where agents' finished conversations are sent, and what to do where they are not; `limit`, `cursor`.",
  },
  {
    method: 'GET',
    path: '/api/tenants/:tenant/agents/:agent/webhook',
    who: 'admin',
    says: 'The same of one agent, with what its file says, whose id is the ETag.',
  },
  {
    method: 'PUT',
    path: '/api/tenants/:tenant/agents/:agent/webhook',
    who: 'admin',
    says: 'Writes `{url, message, as}` into its file, as for a prompt; no `url`: nothing is sent any more.',
  },
  {
    method: 'GET',
    path: '/api/tenants/:tenant/changes',
    who: 'editor',
    says: 'What people asked to have changed in files, the newest first, and what came of it; `agent`, `kind`, `state`, `limit`, `cursor`.',
  },
  {
    method: 'GET',
    path: '/api/tenants/:tenant/changes/:change',
    who: 'editor',
    says: 'One of them: `pending`, `written` or `refused`, and whether it is `live`.',
  },
  {
    method: 'POST',
    path: '/api/tenants/:tenant/webhook/test',
    who: 'admin',
    says: 'Sends `conversation.test` to the webhook of `{agent}`, once: the exact request and answer; 202 while it is pending after 20 s.',
  },
  {
    method: 'GET',
    path: '/api/tenants/:tenant/webhook/deliveries',
    who: 'editor',
    says: 'Deliveries, the newest first; `agent`, `status`, `event`, `session`, `from`, `to`, `limit`, `cursor`.',
  },
  {
    method: 'GET',
    path: '/api/tenants/:tenant/webhook/deliveries/:delivery',
    who: 'editor',
    says: 'A delivery: what is sent, and each attempt with its headers and what came back.',
  },
  {
    method: 'POST',
    path: '/api/tenants/:tenant/webhook/deliveries/:delivery/redeliver',
    who: 'editor',
    says: 'Sends it again under the same `webhook-id`, whatever became of it.',
  },
  {
    method: 'GET',
    path: '/api/tenants/:tenant/audit',
    who: 'admin',
    says: 'What people did by this API, the newest first; `person`, `action`, `target`, `from`, `to`, `limit`, `cursor`.',
  },
  {
    method: 'GET',
    path: '/api/tenants/:tenant/trunks',
    who: 'admin',
    says: 'Ways to carriers, by name. Passwords are names of variables.',
  },
  {
    method: 'POST',
    path: '/api/tenants/:tenant/trunks',
    who: 'admin',
    says: 'Adds one by `{name, address, …}` (below); what nobody opens stays closed.',
  },
  {
    method: 'GET',
    path: '/api/tenants/:tenant/trunks/:trunk',
    who: 'admin',
    says: 'One of them.',
  },
  {
    method: 'PATCH',
    path: '/api/tenants/:tenant/trunks/:trunk',
    who: 'admin',
    says: 'Other fields of it, by If-Match; 409 `managed_by_stack` where the stack declares it.',
  },
  {
    method: 'DELETE',
    path: '/api/tenants/:tenant/trunks/:trunk',
    who: 'admin',
    says: 'Removes one that reaches no number.',
  },
  {
    method: 'GET',
    path: '/api/tenants/:tenant/numbers',
    who: 'viewer',
    says: 'Telephone numbers with agent, language and hours; `limit`, `cursor`.',
  },
  {
    method: 'POST',
    path: '/api/tenants/:tenant/numbers',
    who: 'admin',
    says: 'Adds one by `{number, trunk, agent, language, hours, whenRefused}`.',
  },
  {
    method: 'GET',
    path: '/api/tenants/:tenant/numbers/:number',
    who: 'viewer',
    says: 'One of them.',
  },
  {
    method: 'PATCH',
    path: '/api/tenants/:tenant/numbers/:number',
    who: 'admin',
    says: 'Another agent, language or hours, by If-Match; 409 `managed_by_stack` where the stack declares it.',
  },
  {
    method: 'DELETE',
    path: '/api/tenants/:tenant/numbers/:number',
    who: 'admin',
    says: 'Removes one.',
  },
  {
    method: 'GET',
    path: '/api/tenants/:tenant/outbound-calls',
    who: 'viewer',
    says: 'Calls that agents made, the newest first; `state`, `with` (a number), `limit`, `cursor`.',
  },
  {
    method: 'POST',
    path: '/api/tenants/:tenant/outbound-calls',
    who: 'editor',
    says: 'Has an agent call somebody (below); Idempotency-Key is required; 202 with the call.',
  },
  {
    method: 'GET',
    path: '/api/tenants/:tenant/outbound-calls/:call',
    who: 'viewer',
    says: 'One of them.',
  },
  {
    method: 'POST',
    path: '/api/tenants/:tenant/outbound-calls/:call/cancel',
    who: 'editor',
    says: 'Does not make it, or stops it ringing; 409 `call_answered` once it was answered.',
  },
  {
    method: 'GET',
    path: '/api/tenants/:tenant/opt-outs',
    who: 'admin',
    says: 'Who asked not to be called, the newest first; `limit`, `cursor`.',
  },
  {
    method: 'POST',
    path: '/api/tenants/:tenant/opt-outs',
    who: 'editor',
    says: 'Notes `{number, why}`: nobody calls them from now on.',
  },
  {
    method: 'DELETE',
    path: '/api/tenants/:tenant/opt-outs',
    who: 'admin',
    says: 'Lets `{number}` be called again.',
  },
] as const satisfies readonly AccountRoute[];

type NameOf<Route> = Route extends AccountRoute ? `${Route['method']} ${Route['path']}` : never;
export type AccountRouteName = NameOf<(typeof accountRoutes)[number]>;

export const nameOf = ({ method, path }: Pick<AccountRoute, 'method' | 'path'>): AccountRouteName =>
  `${method} ${path}` as AccountRouteName;

interface Seen {
  least: Role;
  says: string;
}

/** Who may see what within an answer. */
export const seen = {
  toolArguments: { least: 'editor', says: 'What tools were called with, and what they answered.' },
  callersNumbers: { least: 'editor', says: 'Whom a call was with; others see the last two digits.' },
  apiKeys: {
    least: 'editor',
    says: 'The key of an agent; others see its first characters. A secret is shown once, to whoever makes it.',
  },
  webhooks: { least: 'admin', says: 'Where conversations are sent to, in what people asked to have changed.' },
  invitations: { least: 'admin', says: 'Who is invited, beside the members.' },
  machines: {
    least: 'admin',
    says: 'How many machines there are, and their releases: of the own tenant of the deployment.',
  },
} as const satisfies Record<string, Seen>;

/** Whether somebody of this role sees it. */
export const sees = (role: Role, what: keyof typeof seen): boolean => isAtLeast(role, seen[what].least);

/** What there will be, with the capability that says how one comes by it: to members it is not configured, to others it is not there. */
export const plannedRoutes = [
  { path: 'calendar-integrations', capability: 'calendars' },
  { path: 'subscription', capability: 'subscriptions' },
].map(({ path, capability }) => ({ path: `/api/tenants/:tenant/${path}{/*rest}`, capability })) as {
  path: string;
  capability: 'calendars' | 'subscriptions';
}[];

export const plannedPaths = plannedRoutes.map(({ path }) => path);
