import type * as account from '../../../contract/account-answers.ts';
import type * as answers from '../../../contract/answers.ts';
import type { AsJson } from '../../../contract/answers.ts';
import type * as deployment from '../../../contract/deployment-answers.ts';
import type { Role } from '../../../contract/roles.ts';
import { ApiProblem, type ApiRequest, answer } from '../../client/request.ts';
import type { SignInKeeper } from './sign-in-keeper.ts';

export type Me = AsJson<account.Me>;
export type Tenancy = Me['tenants'][number];
export type Page<Item> = account.Page<Item>;
export type SessionItem = AsJson<account.SessionItem>;
export type Members = AsJson<account.Members>;
export type Member = Members['items'][number];
export type Invited = NonNullable<Members['invited']>[number];
export type Message = AsJson<answers.MessageDetails>;
export type ToolCall = AsJson<answers.ToolCallDetails>;
export type SessionShown = Omit<AsJson<answers.SessionDetails>, 'messages'> & { id: string };
export type SessionFilter = Partial<Record<'agent' | 'status' | 'channel' | 'outcome' | 'from' | 'to', string>>;

export type RefusedPlace = deployment.RefusedPlace;
export type Revision = AsJson<deployment.RevisionItem>;
export type Agent = AsJson<deployment.AgentItem>;
export type AgentShown = AsJson<deployment.AgentShown>;
export type AgentsPage = AsJson<deployment.AgentsPage>;
export type Version = AsJson<deployment.VersionItem>;
export type VersionShown = AsJson<deployment.VersionShown>;
export type VersionChange = deployment.VersionChange;
export type Credentials = AsJson<deployment.CredentialsShown>;
export type Webhook = AsJson<deployment.WebhookItem>;
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

interface Regeneration {
  agent: string;
  kind: 'key' | 'secret';
  graceSeconds: number;
  /** The Idempotency-Key. */
  once: string;
}

type Query = Record<string, string | number | undefined>;

export type AccountApi = ReturnType<typeof makeAccountApi>;

/** The account API (docs/call/account.md) as the person who is signed in. Everything @throws ApiProblem */
export function makeAccountApi(origin: string, keeper: Pick<SignInKeeper, 'token' | 'distrust'>) {
  /** A token may be refused that was good when it was taken: then once more, with the next one. */
  const ask = async <Body>(request: ApiRequest): Promise<Body> => {
    const token = await keeper.token();
    try {
      return await answer<Body>(authorized(request, token));
    } catch (error) {
      if (!(error instanceof ApiProblem) || error.code !== 'invalid_token') throw error;
      keeper.distrust(token);
      return answer<Body>(authorized(request, await keeper.token()));
    }
  };
  const get = <Body>(path: string, query: Query = {}) =>
    ask<Body>({ method: 'GET', url: `${origin}${path}${queryText(query)}`, headers: {} });
  /** @param once the same for a request that is repeated: it makes nothing twice */
  const change = <Body>(method: 'POST' | 'PATCH' | 'DELETE', path: string, body?: object, once?: string) =>
    ask<Body>({
      method,
      url: `${origin}${path}`,
      headers: {
        ...(body ? { 'Content-Type': 'application/json' } : {}),
        ...(once ? { 'Idempotency-Key': once } : {}),
      },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });

  return {
    me: () => get<Me>('/api/me'),
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
    sessions: (tenant: string, filter: SessionFilter & { cursor?: string | undefined; limit?: number }) =>
      get<Page<SessionItem>>(pathIn(tenant, 'sessions'), filter),
    session: (tenant: string, id: string) => get<SessionShown>(pathIn(tenant, 'sessions', id)),
    messages: (tenant: string, id: string) => get<Page<Message>>(pathIn(tenant, 'sessions', id, 'messages')),
    agents: (tenant: string) => get<AgentsPage>(pathIn(tenant, 'prompts'), { limit: 100 }),
    agent: (tenant: string, agent: string, language?: string) =>
      get<AgentShown>(pathIn(tenant, 'prompts', agent), { language }),
    versions: (tenant: string, agent: string, query: Listed) =>
      get<Page<Version>>(pathIn(tenant, 'prompts', agent, 'versions'), { ...query }),
    version: (tenant: string, agent: string, version: string) =>
      get<VersionShown>(pathIn(tenant, 'prompts', agent, 'versions', version)),
    credentials: (tenant: string, agent: string) => get<Credentials>(pathIn(tenant, 'agents', agent, 'credentials')),
    regenerate: (tenant: string, { agent, kind, graceSeconds, once }: Regeneration) =>
      change<Record<string, string>>(
        'POST',
        pathIn(tenant, 'agents', agent, 'credentials', kind, 'regenerate'),
        { graceSeconds },
        once,
      ),
    webhooks: (tenant: string) => get<Page<Webhook>>(pathIn(tenant, 'webhook'), { limit: 100 }),
    testWebhook: (tenant: string, agent: string) =>
      change<Delivery>('POST', pathIn(tenant, 'webhook', 'test'), { agent }),
    deliveries: (tenant: string, query: Listed & { status?: string }) =>
      get<Page<DeliveryItem>>(pathIn(tenant, 'webhook', 'deliveries'), { ...query }),
    delivery: (tenant: string, id: string) => get<Delivery>(pathIn(tenant, 'webhook', 'deliveries', id)),
    sendAgain: (tenant: string, id: string) =>
      change<Delivery>('POST', pathIn(tenant, 'webhook', 'deliveries', id, 'redeliver')),
    audit: (tenant: string, query: Listed) => get<Page<AuditItem>>(pathIn(tenant, 'audit'), { ...query }),
    members: (tenant: string) => get<Members>(pathIn(tenant, 'members')),
    invite: (tenant: string, given: { email: string; role: Role }) =>
      change<{ id: string; email: string; role: Role; token: string | null; mailed: boolean }>(
        'POST',
        pathIn(tenant, 'members'),
        given,
      ),
    changeRole: (tenant: string, member: string, role: Role) =>
      change<Member>('PATCH', pathIn(tenant, 'members', member), { role }),
    removeMember: (tenant: string, member: string) => change<void>('DELETE', pathIn(tenant, 'members', member)),
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
