/** Who may call what: the one place that says it. The API, docs/call/account.md and the tests are made from it. */
import type { Role } from '../../contract/roles.ts';

export interface AccountRoute {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
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
    method: 'POST',
    path: '/invitation',
    who: 'anybody',
    says: 'Accepts an invitation, once, by `{token, name, password}`, and signs in. Whoever has an account already gives its password.',
  },
  { method: 'GET', path: '/api/me', who: 'person', says: 'Who I am, and what in which tenant.' },
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
    method: 'GET',
    path: '/api/tenants/:tenant/members',
    who: 'viewer',
    says: 'Members; for `admin` and above who is invited, too.',
  },
  {
    method: 'POST',
    path: '/api/tenants/:tenant/members',
    who: 'admin',
    says: 'Invites `{email, role}`, to no more than the own role. The answer has the token, which is shown nowhere again.',
  },
  {
    method: 'PATCH',
    path: '/api/tenants/:tenant/members/:member',
    who: 'admin',
    says: 'Another `{role}`. Only an owner makes an owner, or changes one.',
  },
  {
    method: 'DELETE',
    path: '/api/tenants/:tenant/members/:member',
    who: 'admin',
    says: 'Removes a member, or withdraws an invitation by its id. Only an owner removes an owner.',
  },
  {
    method: 'GET',
    path: '/api/tenants/:tenant/sessions',
    who: 'viewer',
    says: 'Conversations, the newest first; `agent`, `status`, `channel`, `outcome`, `from`, `to`, `limit`, `cursor`.',
  },
  {
    method: 'GET',
    path: '/api/tenants/:tenant/sessions/:session',
    who: 'viewer',
    says: 'A conversation, with its tools and the evidence for its minutes; arguments and results of tools for `editor` and above.',
  },
  { method: 'GET', path: '/api/tenants/:tenant/sessions/:session/messages', who: 'viewer', says: 'What was said.' },
] as const satisfies readonly AccountRoute[];

type NameOf<Route> = Route extends AccountRoute ? `${Route['method']} ${Route['path']}` : never;
export type AccountRouteName = NameOf<(typeof accountRoutes)[number]>;

export const nameOf = ({ method, path }: Pick<AccountRoute, 'method' | 'path'>): AccountRouteName =>
  `${method} ${path}` as AccountRouteName;

/** Who may see what within an answer. */
export const sees = { toolArguments: 'editor', invitations: 'admin' } as const satisfies Record<string, Role>;

const ofTenant = ['prompts', 'agents', 'numbers', 'outbound-calls', 'calendar-integrations', 'webhook'];

/** What there will be. It tells credentials apart already, and has nothing to show to whoever may come in. */
export const plannedPaths = [...ofTenant, 'audit', 'analytics', 'subscription'].map(
  (name) => `/api/tenants/:tenant/${name}{/*rest}`,
);
