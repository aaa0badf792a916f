import { problems } from '../../contract/problems.ts';
import { loadLiveAgent } from '../../core/agents/live-agent.ts';
import { type CreateDeps, createSession } from '../../core/channels/request.ts';
import { endSession } from '../../core/sessions/end.ts';
import { eraseSession } from '../../core/sessions/erase.ts';
import { hashPrefix, sha256 } from '../../core/sessions/ids.ts';
import { sayAgentWithin } from '../http/agent-within.ts';
import { clientAddress } from '../http/client-address.ts';
import { rawBody, readBody } from '../http/json-body.ts';
import { personOf, tenantOf } from '../http/person-access.ts';
import type { Handlers } from './handlers.ts';
import { sessionIn } from './sessions.ts';

export type SessionActionDeps = CreateDeps;

type Actions =
  | 'POST /api/tenants/:tenant/sessions'
  | 'POST /api/tenants/:tenant/sessions/:session/end'
  | 'DELETE /api/tenants/:tenant/sessions/:session';

const dashboard = { reason: 'dashboard_ended' } as const;

export const sessionActions = (deps: SessionActionDeps): Handlers<Actions> => ({
  'POST /api/tenants/:tenant/sessions': [
    rawBody,
    async (req, res) => {
      const { tenant } = tenantOf(req);
      const { agent: name, webhook = false, ...wishes } = readBody(req, 'tryAgent');
      const agent = await loadLiveAgent(deps.db, tenant, name);
      if (!agent) throw problems.agentNotFound(name);
      const person = sha256('person', personOf(req).person);
      const caller = {
        agent,
        keyHash: person,
        address: clientAddress(req),
        channel: 'api',
        test: { webhook },
      } as const;
      const nothing = { origin: undefined, signature: undefined, idempotency: undefined };
      const opened = await createSession(deps, { ...caller, ...nothing }, wishes);
      req.logged.session = hashPrefix(opened.connection.sessionId);
      sayAgentWithin(res, opened);
      res.json(opened.connection);
    },
  ],
  'POST /api/tenants/:tenant/sessions/:session/end': [
    async (req, res) => {
      const which = { tenant: tenantOf(req).tenant, session: sessionIn(req) };
      const ended = await endSession(deps, { ...which, ...dashboard, source: 'dashboard' });
      if (!ended) throw problems.sessionOfTenantNotFound();
      res.json(ended);
    },
  ],
  'DELETE /api/tenants/:tenant/sessions/:session': [
    async (req, res) => {
      const which = { tenant: tenantOf(req).tenant, session: sessionIn(req) };
      const erased = await eraseSession(deps, { ...which, ...dashboard, by: 'dashboard' });
      if (!erased) throw problems.sessionOfTenantNotFound();
      const { session_id, agent, erased_at, erased_rows } = erased;
      res.json({ id: session_id, agent, erasedAt: erased_at, erasedRows: erased_rows });
    },
  ],
});
