import type { Request } from 'express';
import type { Conversation } from '../../contract/history.ts';
import { problems } from '../../contract/problems.ts';
import type { Acting } from '../../core/account/acting.ts';
import { sees } from '../../core/account/routes.ts';
import type { Vault } from '../../core/credentials/vault.ts';
import { conversationOf, messagesOf } from '../../core/insight/conversation.ts';
import { sessionHistory } from '../../core/insight/session-history.ts';
import { scenarioOf } from '../../core/scenarios/from-session.ts';
import { appended } from '../../core/scenarios/scenario-text.ts';
import { hashPrefix } from '../../core/sessions/ids.ts';
import type { Database, Tx } from '../../store/database.ts';
import { withETag } from '../http/etag.ts';
import { tenantOf } from '../http/person-access.ts';
import { sessionIdFrom } from '../http/public-ids.ts';
import type { Handlers } from './handlers.ts';
import { historyQuery } from './history-query.ts';
import { choiceIn, knownOnly, limitIn, type Query, textIn } from './query.ts';

export interface SessionsRouteDeps {
  db: Database;
  vault: Vault;
}

const sessions = '/api/tenants/:tenant/sessions';
type Sessions = `GET ${typeof sessions}${'' | '/:session' | '/:session/messages' | '/:session/scenario'}`;

export const sessionRoutes = ({ db, vault }: SessionsRouteDeps): Handlers<Sessions> => ({
  'GET /api/tenants/:tenant/sessions': [
    async (req, res) => void res.json(await sessionHistory(db, tenantOf(req).tenant, historyQuery(req.query))),
  ],
  'GET /api/tenants/:tenant/sessions/:session': [
    async (req, res) => {
      const acting = tenantOf(req);
      const id = sessionIn(req);
      const shown = await db.asTenant(acting.tenant, (tx) => shownTo(tx, { ...acting, vault }, id));
      if (!shown) throw problems.sessionOfTenantNotFound();
      withETag(req, res, shown);
    },
  ],
  'GET /api/tenants/:tenant/sessions/:session/messages': [
    async (req, res) => {
      const id = sessionIn(req);
      const page = messagesQuery(req.query);
      res.json(await db.asTenant(tenantOf(req).tenant, (tx) => messagesOf(tx, id, page)));
    },
  ],
  'GET /api/tenants/:tenant/sessions/:session/scenario': [
    async (req, res) => {
      knownOnly(req.query, ['name', 'redact']);
      const wish = { name: textIn(req.query, 'name'), isMasked: choiceIn(req.query, 'redact', ['true']) === 'true' };
      const id = sessionIn(req);
      const { agent, draft } = await db.asTenant(tenantOf(req).tenant, (tx) => scenarioOf(tx, id, wish));
      res.json({ agent, name: draft.scenario.name, yaml: appended(undefined, draft), notes: draft.notes });
    },
  ],
});

/** A conversation as it is shown to a person of this role; undefined where there is none. */
export const shownTo = (
  tx: Tx,
  { role, vault }: Pick<Acting, 'role'> & Pick<SessionsRouteDeps, 'vault'>,
  id: string,
): Promise<Conversation | undefined> =>
  conversationOf(tx, id, {
    vault,
    toolArguments: sees(role, 'toolArguments'),
    callersNumbers: sees(role, 'callersNumbers'),
  });

/** @throws Problem `session_not_found` for what can't be an id, without asking the database */
export function sessionIn(req: Request): string {
  const id = sessionIdFrom(req.params.session);
  req.logged.session = hashPrefix(id);
  return id;
}

const messageLimits = { usual: 200, most: 500 };

/** @throws Problem `invalid_request` */
function messagesQuery(query: Query): { after: number; limit: number } {
  knownOnly(query, ['cursor', 'limit']);
  const cursor = textIn(query, 'cursor') ?? '0';
  if (!/^\d{1,9}$/.test(cursor))
    throw problems.invalidRequest('"cursor" is none of ours: give nextCursor of the page before, as it came.');
  return { after: Number(cursor), limit: limitIn(query, messageLimits) };
}
