import type { Request } from 'express';
import { problems } from '../../contract/problems.ts';
import { isAtLeast } from '../../contract/roles.ts';
import { sees } from '../../core/account/routes.ts';
import { detailsOf } from '../../core/insight/session-details.ts';
import { sessionHistory } from '../../core/insight/session-history.ts';
import { hashPrefix } from '../../core/sessions/ids.ts';
import type { Database } from '../../store/database.ts';
import { withETag } from '../http/etag.ts';
import { tenantOf } from '../http/person-access.ts';
import { sessionIdFrom } from '../http/public-ids.ts';
import type { Handlers } from './handlers.ts';
import { historyQuery } from './history-query.ts';

export interface SessionsRouteDeps {
  db: Database;
}

const sessions = '/api/tenants/:tenant/sessions';
type Sessions = `GET ${typeof sessions}${'' | '/:session' | '/:session/messages'}`;

export const sessionRoutes = ({ db }: SessionsRouteDeps): Handlers<Sessions> => ({
  'GET /api/tenants/:tenant/sessions': [
    async (req, res) => void res.json(await sessionHistory(db, tenantOf(req).tenant, historyQuery(req.query))),
  ],
  'GET /api/tenants/:tenant/sessions/:session': [
    async (req, res) => {
      const { toolCalls, messages: _, ...shown } = await sessionIn(db, req);
      const seesArguments = isAtLeast(tenantOf(req).role, sees.toolArguments);
      const tools = toolCalls.map(({ arguments: given, result, ...call }) =>
        seesArguments ? { ...call, arguments: given, result } : call,
      );
      withETag(req, res, { ...shown, toolCalls: tools });
    },
  ],
  'GET /api/tenants/:tenant/sessions/:session/messages': [
    async (req, res) => {
      const { messages } = await sessionIn(db, req);
      res.json({ items: messages, nextCursor: null });
    },
  ],
});

/** @throws Problem `session_not_found` */
async function sessionIn(db: Database, req: Request) {
  const id = sessionIdFrom(req.params.session);
  req.logged.session = hashPrefix(id);
  const found = await db.asTenant(tenantOf(req).tenant, (tx) => detailsOf(tx, id));
  if (!found) throw problems.sessionOfTenantNotFound();
  return { id, ...found };
}
