import type * as account from '../../../contract/account-answers.ts';
import type * as answers from '../../../contract/answers.ts';
import type { AsJson } from '../../../contract/answers.ts';
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

/** What is configured here, field by field; what is not says how to come by it. */
export interface Capability {
  available: boolean;
  how?: string;
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
  const change = <Body>(method: 'POST' | 'PATCH' | 'DELETE', path: string, body?: object) =>
    ask<Body>({
      method,
      url: `${origin}${path}`,
      headers: body ? { 'Content-Type': 'application/json' } : {},
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
