import type * as account from '../../../contract/account-answers.ts';
import type * as analytics from '../../../contract/analytics.ts';
import type { AsJson } from '../../../contract/answers.ts';
import type * as deployment from '../../../contract/deployment-answers.ts';
import type * as history from '../../../contract/history.ts';
import type { Role } from '../../../contract/roles.ts';
import type * as telephony from '../../../contract/telephony.ts';
import { ApiProblem, type ApiRequest, answer, bodyOf, send } from '../../client/request.ts';
import type { Connection, Figures } from '../../client/shapes.ts';
import type { SignInKeeper } from './sign-in-keeper.ts';

export type Me = AsJson<account.Me>;
export type Tenancy = Me['tenants'][number];
export type Page<Item> = account.Page<Item>;
export type SessionItem = AsJson<history.ConversationItem>;
export type Identities = AsJson<account.IdentitiesShown>;
export type Members = AsJson<account.Members>;
export type Member = Members['items'][number];
export type Invited = NonNullable<Members['invited']>[number];
export type Message = AsJson<history.ConversationMessage>;
export type ToolCall = AsJson<history.ConversationToolCall>;
export type SessionShown = AsJson<history.Conversation>;
export type NumberShown = AsJson<telephony.NumberShown>;
export type TrunkShown = AsJson<telephony.TrunkShown>;
export type OptOut = AsJson<telephony.OptOutShown>;
export type CallShown = AsJson<telephony.CallShown>;
export type Draft = history.LiveDraft;
export type ConversationEvents = AsJson<history.ConversationEvents>;
export type LiveList = AsJson<history.LiveEvents>;
export type Analytics = AsJson<analytics.Analytics>;

/** What a list of conversations is filtered by, and the address of the page with it (docs/call/account.md). */
export const sessionFilters = [
  ...['words', 'agent', 'status', 'outcome', 'sentiment', 'channel', 'mode', 'endReason', 'toolFailed', 'version'],
  ...['commit', 'test', 'from', 'to'],
];
export type SessionFilter = Partial<Record<string, string>>;

/** A conversation as a scenario of its agent, and what a person should look at before they commit it. */
export interface ScenarioText {
  yaml: string;
  notes: string[];
}

export type RefusedPlace = deployment.RefusedPlace;
export type UnreadableSource = AsJson<deployment.UnreadableSource>;
export type Revision = AsJson<deployment.RevisionItem>;
export type Agent = AsJson<deployment.AgentItem>;
export type AgentShown = AsJson<deployment.AgentShown>;
export type AgentsPage = AsJson<deployment.AgentsPage>;
export type Version = AsJson<deployment.VersionItem>;
export type VersionShown = AsJson<deployment.VersionShown>;
export type VersionChange = deployment.VersionChange;
export type PromptPreview = deployment.PromptPreview;
/** Whoever may not see where conversations are sent gets no `wanted` of a webhook. */
export type Change = AsJson<deployment.ChangeShown>;
export type Scenarios = AsJson<deployment.ScenariosShown>;
export type Credentials = AsJson<deployment.CredentialsShown>;
export type Webhook = AsJson<deployment.WebhookItem>;
export type WebhookUrl = Webhook['url'];
/** `file.url` is left out where the file can't be read. */
export type WebhookShown = AsJson<deployment.WebhookShown>;
export type HealthShown = AsJson<deployment.HealthShown>;
export type DeliveryItem = AsJson<deployment.DeliveryItem>;
export type Delivery = AsJson<deployment.DeliveryShown>;
export type AuditItem = AsJson<deployment.AuditItem>;

/** What is configured here, field by field; what is not says how to come by it. */
export interface Capability {
  available: boolean;
  how?: string;
}

interface Listed {
  cursor?: string | undefined;
  limit?: number;
}

interface PromptChange {
  given: { prompt: string; message?: string; as: 'proposal' | 'commit' };
  /** Of the file that the person had before them: another one is not written over. */
  fileId: string;
  /** The Idempotency-Key. */
  once: string;
}

interface WebhookChange extends Omit<PromptChange, 'given'> {
  /** No `url`: nothing is sent any more. */
  given: { url?: Exclude<WebhookUrl, null>; message?: string; as: 'proposal' | 'commit' };
}

/** What people give of a trunk; without a user name it takes calls from its addresses alone. */
export interface TrunkGiven extends Omit<TrunkShown, 'id' | 'name' | 'managedBy' | 'username' | 'password'> {
  username?: string;
  password?: { env: string };
}

/** `byPassword: false` takes the user name and the password away. */
export interface TrunkChange extends TrunkGiven {
  byPassword?: false;
}

/** Fields that are left out stay as they were. */
export interface NumberChange extends Partial<Pick<NumberShown, 'hours' | 'whenRefused'>> {
  agent?: string;
}

interface Regeneration {
  agent: string;
  kind: 'key' | 'secret';
  graceSeconds: number;
  /** The Idempotency-Key. */
  once: string;
}

/** `openIdConnect` is null where there is no identity provider. */
export interface Ways {
  password: boolean;
  openIdConnect: { name: string } | null;
}

type Query = Record<string, string | number | undefined>;

export type AccountApi = ReturnType<typeof makeAccountApi>;

/** The account API (docs/call/account.md) as the person who is signed in. Everything @throws ApiProblem */
export function makeAccountApi(origin: string, keeper: Pick<SignInKeeper, 'token' | 'distrust'>) {
  /** A token may be refused that was good when it was taken: then once more, with the next one. */
  const withToken = async <Result>(ask: (token: string) => Promise<Result>): Promise<Result> => {
    const token = await keeper.token();
    try {
      return await ask(token);
    } catch (error) {
      if (!(error instanceof ApiProblem) || error.code !== 'invalid_token') throw error;
      keeper.distrust(token);
      return ask(await keeper.token());
    }
  };
  const ask = <Body>(request: ApiRequest): Promise<Body> =>
    withToken((token) => answer<Body>(authorized(request, token)));
  const get = <Body>(path: string, query: Query = {}) =>
    ask<Body>({ method: 'GET', url: `${origin}${path}${queryText(query)}`, headers: {} });
  /** With the ETag that a change of it wants. */
  const getTagged = async <Body>(path: string): Promise<{ shown: Body; etag: string }> => {
    const request: ApiRequest = { method: 'GET', url: `${origin}${path}`, headers: {} };
    const response = await withToken((token) => send(authorized(request, token)));
    return { shown: await bodyOf<Body>(response), etag: response.headers.get('ETag') ?? '' };
  };
  /**
   * @param once the same for a request that is repeated: it makes nothing twice
   * @param etag of what was read: a change of it is refused where it has changed since
   */
  const change = <Body>(
    method: 'POST' | 'PUT' | 'PATCH' | 'DELETE',
    path: string,
    body?: object,
    { once, etag }: { once?: string; etag?: string } = {},
  ) =>
    ask<Body>({
      method,
      url: `${origin}${path}`,
      headers: {
        ...(body ? { 'Content-Type': 'application/json' } : {}),
        ...(once ? { 'Idempotency-Key': once } : {}),
        ...(etag ? { 'If-Match': etag } : {}),
      },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });

  return {
    /** How people may sign in here; for whoever has not. */
    ways: () => answer<Ways>({ method: 'GET', url: `${origin}/auth/ways`, headers: {} }),
    /** Where the page goes on to, to come back signed in. */
    leaveToSignIn: (given: { to?: string; invitation?: string }) =>
      answer<{ location: string }>({
        method: 'POST',
        url: `${origin}/auth/oidc`,
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify(given),
      }),
    me: () => get<Me>('/api/me'),
    /** What lets the person in. */
    identities: () => get<Identities>('/api/me/identities'),
    /** Where the page goes on to, to come back with the identity provider linked. */
    linkIdentity: (given: { password?: string }) => change<{ location: string }>('POST', '/api/me/identities', given),
    /** @param query what stands behind `link` in the address to which the identity provider has led back */
    finishLink: (query: string) => change<unknown>('POST', '/auth/oidc/link', { query }),
    unlinkIdentity: (id: string) => change<unknown>('DELETE', `/api/me/identities/${id}`),
    /** Whether people may choose a new password by a letter; for whoever has not signed in. */
    resetByMail: async () =>
      (await answer<{ resetByMail: boolean }>({ method: 'GET', url: `${origin}/auth/ways`, headers: {} })).resetByMail,
    /** Has that letter sent, where somebody has the address; the answer does not say. */
    forget: (email: string) =>
      answer<object>({
        method: 'POST',
        url: `${origin}/auth/forgotten-password`,
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ email }),
      }),
    capabilities: () => get<Record<string, unknown>>('/api/capabilities'),
    health: (tenant: string) => get<HealthShown>(pathIn(tenant, 'health')),
    sessions: (tenant: string, filter: SessionFilter, listed: Listed) =>
      get<Page<SessionItem>>(pathIn(tenant, 'sessions'), { ...filter, ...listed }),
    session: (tenant: string, id: string) => get<SessionShown>(pathIn(tenant, 'sessions', id)),
    /** All of them: a conversation has some thousand lines at most. */
    messages: async (tenant: string, id: string): Promise<Message[]> => {
      const lines: Message[] = [];
      let cursor: string | null | undefined;
      while (cursor !== null) {
        const query = { limit: 500, cursor: cursor ?? undefined };
        const page: Page<Message> = await get(pathIn(tenant, 'sessions', id, 'messages'), query);
        lines.push(...page.items);
        cursor = page.nextCursor;
      }
      return lines;
    },
    /** Opens a test: what it takes to join its room. */
    tryAgent: (
      tenant: string,
      given: { agent: string; language: string; interactionMode: 'TEXT' | 'VOICE'; webhook: boolean },
    ) => change<Connection>('POST', pathIn(tenant, 'sessions'), given),
    endSession: (tenant: string, id: string) => change<Figures>('POST', pathIn(tenant, 'sessions', id, 'end')),
    /** Whatever was said in it meanwhile goes, too. */
    eraseSession: (tenant: string, id: string) =>
      change<unknown>('DELETE', pathIn(tenant, 'sessions', id), undefined, { etag: '*' }),
    /** Adds it to the agent's scenarios in Git. @param once the Idempotency-Key */
    addScenario: (tenant: string, id: string, once: string) =>
      change<Change>('POST', pathIn(tenant, 'sessions', id, 'scenario'), {}, { once }),
    scenario: (tenant: string, id: string) => get<ScenarioText>(pathIn(tenant, 'sessions', id, 'scenario')),
    /** An address that a browser fetches once, within a minute. */
    exportOf: (tenant: string, query: SessionFilter & { format: 'csv' | 'jsonl' }) =>
      change<{ url: string }>('POST', `${pathIn(tenant, 'exports')}${queryText(query)}`),
    analytics: (tenant: string, query: Record<string, string>) => get<Analytics>(pathIn(tenant, 'analytics'), query),
    /** A stream of events, from after `lastId`. */
    stream: async (path: string, lastId: string | undefined, signal: AbortSignal): Promise<Response> => {
      const headers = lastId === undefined ? {} : { 'Last-Event-ID': lastId };
      const request: ApiRequest = { method: 'GET', url: `${origin}${path}`, headers };
      return withToken((token) => send(authorized(request, token), { signal }));
    },
    agents: (tenant: string) => get<AgentsPage>(pathIn(tenant, 'prompts'), { limit: 100 }),
    agent: (tenant: string, agent: string, language?: string) =>
      get<AgentShown>(pathIn(tenant, 'prompts', agent), { language }),
    previewPrompt: (tenant: string, agent: string, given: { prompt: string; language?: string }) =>
      change<PromptPreview>('POST', pathIn(tenant, 'prompts', agent, 'preview'), given),
    /** Waits 20 s for the worker; after that the change is pending still. */
    writePrompt: (tenant: string, agent: string, { given, fileId, once }: PromptChange) =>
      change<Change>('PUT', pathIn(tenant, 'prompts', agent), given, { once, etag: `"${fileId}"` }),
    changes: (tenant: string, query: Listed & { agent?: string; kind?: Change['kind'] }) =>
      get<Page<Change>>(pathIn(tenant, 'changes'), { ...query }),
    changeOf: (tenant: string, id: string) => get<Change>(pathIn(tenant, 'changes', id)),
    scenarios: (tenant: string) => get<{ items: Scenarios[] }>(pathIn(tenant, 'scenarios')),
    runScenarios: (tenant: string, agent: string) =>
      change<object>('POST', pathIn(tenant, 'agents', agent, 'scenarios', 'run')),
    versions: (tenant: string, agent: string, query: Listed) =>
      get<Page<Version>>(pathIn(tenant, 'prompts', agent, 'versions'), { ...query }),
    version: (tenant: string, agent: string, version: string, against?: string) =>
      get<VersionShown>(pathIn(tenant, 'prompts', agent, 'versions', version), { against }),
    credentials: (tenant: string, agent: string) => get<Credentials>(pathIn(tenant, 'agents', agent, 'credentials')),
    regenerate: (tenant: string, { agent, kind, graceSeconds, once }: Regeneration) =>
      change<Record<string, string>>(
        'POST',
        pathIn(tenant, 'agents', agent, 'credentials', kind, 'regenerate'),
        { graceSeconds },
        { once },
      ),
    webhooks: (tenant: string) => get<Page<Webhook>>(pathIn(tenant, 'webhook'), { limit: 100 }),
    webhook: (tenant: string, agent: string) => get<WebhookShown>(pathIn(tenant, 'agents', agent, 'webhook')),
    /** As a prompt is written. */
    writeWebhook: (tenant: string, agent: string, { given, fileId, once }: WebhookChange) =>
      change<Change>('PUT', pathIn(tenant, 'agents', agent, 'webhook'), given, { once, etag: `"${fileId}"` }),
    testWebhook: (tenant: string, agent: string) =>
      change<Delivery>('POST', pathIn(tenant, 'webhook', 'test'), { agent }),
    deliveries: (tenant: string, query: Listed & { status?: string }) =>
      get<Page<DeliveryItem>>(pathIn(tenant, 'webhook', 'deliveries'), { ...query }),
    delivery: (tenant: string, id: string) => get<Delivery>(pathIn(tenant, 'webhook', 'deliveries', id)),
    sendAgain: (tenant: string, id: string) =>
      change<Delivery>('POST', pathIn(tenant, 'webhook', 'deliveries', id, 'redeliver')),
    trunks: (tenant: string) => get<Page<TrunkShown>>(pathIn(tenant, 'trunks')),
    trunk: (tenant: string, id: string) => getTagged<TrunkShown>(pathIn(tenant, 'trunks', id)),
    addTrunk: (tenant: string, given: TrunkGiven & { name: string }, once: string) =>
      change<TrunkShown>('POST', pathIn(tenant, 'trunks'), given, { once }),
    changeTrunk: (tenant: string, id: string, { etag, given }: { etag: string; given: TrunkChange }) =>
      change<TrunkShown>('PATCH', pathIn(tenant, 'trunks', id), given, { etag }),
    removeTrunk: (tenant: string, id: string) => change<void>('DELETE', pathIn(tenant, 'trunks', id)),
    optOuts: (tenant: string, query: Listed) => get<Page<OptOut>>(pathIn(tenant, 'opt-outs'), { ...query }),
    optOut: (tenant: string, given: { number: string; why?: string }) =>
      change<void>('POST', pathIn(tenant, 'opt-outs'), given),
    /** Lets the number be called again. */
    optIn: (tenant: string, number: string) => change<void>('DELETE', pathIn(tenant, 'opt-outs'), { number }),
    numbers: (tenant: string, query: Listed) => get<Page<NumberShown>>(pathIn(tenant, 'numbers'), { ...query }),
    /** With the ETag that a change of it wants. @param digits without the plus, as in the page's address */
    number: (tenant: string, digits: string) => getTagged<NumberShown>(pathIn(tenant, 'numbers', digits)),
    addNumber: (tenant: string, given: { number: string; trunk: string; agent?: string }) =>
      change<NumberShown>('POST', pathIn(tenant, 'numbers'), given),
    changeNumber: (tenant: string, digits: string, { etag, given }: { etag: string; given: NumberChange }) =>
      change<unknown>('PATCH', pathIn(tenant, 'numbers', digits), given, { etag }),
    removeNumber: (tenant: string, digits: string) => change<void>('DELETE', pathIn(tenant, 'numbers', digits)),
    calls: (tenant: string, query: Listed & { state?: string }) =>
      get<Page<CallShown>>(pathIn(tenant, 'outbound-calls'), { ...query }),
    call: (tenant: string, id: string) => get<CallShown>(pathIn(tenant, 'outbound-calls', id)),
    cancelCall: (tenant: string, id: string) =>
      change<CallShown>('POST', pathIn(tenant, 'outbound-calls', id, 'cancel')),
    audit: (tenant: string, query: Listed) => get<Page<AuditItem>>(pathIn(tenant, 'audit'), { ...query }),
    members: (tenant: string) => get<Members>(pathIn(tenant, 'members')),
    invite: (tenant: string, given: { email: string; role: Role }) =>
      change<{ id: string; email: string; role: Role; token: string | null; mailed: boolean }>(
        'POST',
        pathIn(tenant, 'members'),
        given,
      ),
    changeRole: (tenant: string, { id, etag }: Pick<Member, 'id' | 'etag'>, role: Role) =>
      change<unknown>('PATCH', pathIn(tenant, 'members', id), { role }, { etag: `"${etag}"` }),
    /** Or withdraws an invitation. */
    removeMember: (tenant: string, { id, etag }: Pick<Member, 'id' | 'etag'>) =>
      change<void>('DELETE', pathIn(tenant, 'members', id), undefined, { etag: `"${etag}"` }),
  };
}

const authorized = (request: ApiRequest, token: string): ApiRequest => ({
  ...request,
  headers: { ...request.headers, Authorization: `Bearer ${token}` },
});

const pathIn = (tenant: string, ...parts: string[]): string =>
  ['/api/tenants', tenant, ...parts].map((part, index) => (index === 0 ? part : encodeURIComponent(part))).join('/');

function queryText(query: Query): string {
  const given = Object.entries(query).filter((pair): pair is [string, string | number] => {
    const [, value] = pair;
    return value !== undefined && value !== '';
  });
  const text = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
  return text ? `?${text}` : '';
}
