import { problems } from '../../contract/problems.ts';
import { audited } from '../../core/account/acting.ts';
import { loadLiveAgent } from '../../core/agents/live-agent.ts';
import { type Caller, type CreateDeps, createSession } from '../../core/channels/request.ts';
import type { Vault } from '../../core/credentials/vault.ts';
import { endSession } from '../../core/sessions/end.ts';
import { eraseSession } from '../../core/sessions/erase.ts';
import { hashPrefix, sha256 } from '../../core/sessions/ids.ts';
import { sayAgentWithin } from '../http/agent-within.ts';
import { clientAddress } from '../http/client-address.ts';
import { canonical, idempotencyKeyOf } from '../http/idempotency-key.ts';
import { sameAsRead } from '../http/if-match.ts';
import { rawBody, readBody } from '../http/json-body.ts';
import { tenantOf } from '../http/person-access.ts';
import type { Handlers } from './handlers.ts';
import { sessionIn, shownTo } from './sessions.ts';

export interface SessionActionDeps extends CreateDeps {
  vault: Vault;
}

type Actions =
  | 'POST /api/tenants/:tenant/sessions'
  | 'POST /api/tenants/:tenant/sessions/:session/end'
  | 'DELETE /api/tenants/:tenant/sessions/:session';

const dashboard = { reason: 'dashboard_ended' } as const;

export const sessionActions = (deps: SessionActionDeps): Handlers<Actions> => ({
  'POST /api/tenants/:tenant/sessions': [
    rawBody,
    async (req, res) => {
      const acting = tenantOf(req);
      const fields = readBody(req, 'tryAgent');
      const { agent: name, webhook = false, ...wishes } = fields;
      const key = idempotencyKeyOf(req);
      const agent = await loadLiveAgent(deps.db, acting.tenant, name);
      if (!agent) throw problems.agentNotFound(name);
      const caller: Caller = {
        ...{ agent, channel: 'api', test: { webhook }, origin: undefined, signature: undefined },
        // Not a key: whose tests these are, for the cap on those that nobody joins and for repetitions.
        ...{ keyHash: sha256('person', acting.person), address: clientAddress(req) },
        idempotency: key === undefined ? undefined : { scope: `try ${key}`, bodyHash: sha256(canonical(fields)) },
      };
      const opened = await createSession(deps, caller, wishes);
      const { sessionId } = opened.connection;
      req.logged.session = hashPrefix(sessionId);
      const deed = { action: 'agent.tried', target: name, details: { session: sessionId } } as const;
      await deps.db.asTenant(acting.tenant, (tx) => audited(tx, acting, deed));
      sayAgentWithin(res, opened);
      res.json(opened.connection);
    },
  ],
  'POST /api/tenants/:tenant/sessions/:session/end': [
    async (req, res) => {
      const acting = tenantOf(req);
      const which = { tenant: acting.tenant, session: sessionIn(req) };
      const ended = await endSession(deps, {
        ...{ ...which, ...dashboard, source: 'dashboard' },
        along: (tx) => audited(tx, acting, { action: 'session.ended', target: which.session }),
      });
      if (!ended) throw problems.sessionOfTenantNotFound();
      res.json(ended);
    },
  ],
  'DELETE /api/tenants/:tenant/sessions/:session': [
    async (req, res) => {
      const acting = tenantOf(req);
      const which = { tenant: acting.tenant, session: sessionIn(req) };
      const isSame = sameAsRead(req);
      const shown = await deps.db.asTenant(acting.tenant, (tx) =>
        shownTo(tx, { ...acting, vault: deps.vault }, which.session),
      );
      // One that is gone already is answered with its record.
      if (shown && !isSame(shown)) throw problems.preconditionFailed();
      const erased = await eraseSession(deps, {
        ...{ ...which, ...dashboard, by: 'dashboard' },
        along: (tx) => audited(tx, acting, { action: 'session.erased', target: which.session }),
      });
      if (!erased) throw problems.sessionOfTenantNotFound();
      const { session_id, agent, erased_at, erased_rows } = erased;
      res.json({ id: session_id, agent, erasedAt: erased_at, erasedRows: erased_rows });
    },
  ],
});
