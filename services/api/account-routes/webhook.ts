import type { Request } from 'express';
import { problems } from '../../contract/problems.ts';
import { askForTest } from '../../core/deliveries/ask-for-test.ts';
import { sendAgain } from '../../core/deliveries/redeliver.ts';
import { listShownDeliveries, showDelivery } from '../../core/insight/deliveries.ts';
import { listShownWebhooks, showWebhook } from '../../core/insight/webhooks.ts';
import type { Clock } from '../../process/clock.ts';
import type { Database } from '../../store/database.ts';
import { rawBody, readBody } from '../http/json-body.ts';
import { tenantOf } from '../http/person-access.ts';
import { agentFrom, agentNamePattern } from '../http/public-ids.ts';
import type { Handlers } from './handlers.ts';
import { listQuery } from './list-query.ts';

export interface WebhookRouteDeps {
  db: Database;
  clock: Clock;
}

const webhook = '/api/tenants/:tenant/webhook';
type Webhook =
  | 'GET /api/tenants/:tenant/agents/:agent/webhook'
  | `GET ${typeof webhook}${'' | '/deliveries' | '/deliveries/:delivery'}`
  | `POST ${typeof webhook}/${'test' | 'deliveries/:delivery/redeliver'}`;

const filters = ['agent', 'status', 'event', 'session', 'from', 'to'] as const;
const statuses = ['pending', 'delivered', 'failed', 'disabled'] as const;
const events = ['conversation.finished', 'conversation.test'] as const;

export const webhookRoutes = (deps: WebhookRouteDeps): Handlers<Webhook> => ({
  'GET /api/tenants/:tenant/webhook': [
    async (req, res) => {
      const { limit, cursor } = listQuery(req.query, []);
      res.json(await listShownWebhooks(deps.db, tenantOf(req).tenant, { limit, after: cursor(agentNamePattern) }));
    },
  ],
  'GET /api/tenants/:tenant/agents/:agent/webhook': [
    async (req, res) => {
      const shown = await showWebhook(deps.db, { tenant: tenantOf(req).tenant, agent: agentFrom(req.params.agent) });
      // Of the file alone: the rest of the answer changes by itself, so nobody is told that it has not.
      if (shown.file) res.set('ETag', `"${shown.file.id}"`);
      res.json(shown);
    },
  ],
  'POST /api/tenants/:tenant/webhook/test': [
    rawBody,
    async (req, res) => {
      const { agent } = readBody(req, 'testWebhook');
      const delivery = await askForTest(deps, tenantOf(req), agentFrom(agent));
      res.status(delivery.status === 'pending' ? 202 : 200).json(delivery);
    },
  ],
  'GET /api/tenants/:tenant/webhook/deliveries': [
    async (req, res) => {
      const asked = listQuery(req.query, filters);
      const by = {
        ...{ agent: asked.text('agent'), session: asked.text('session') },
        ...{ status: asked.choice('status', statuses), event: asked.choice('event', events) },
        ...{ from: asked.time('from'), to: asked.time('to'), limit: asked.limit, cursor: asked.cursor(/./) },
      };
      res.json(await listShownDeliveries(deps.db, tenantOf(req).tenant, by));
    },
  ],
  'GET /api/tenants/:tenant/webhook/deliveries/:delivery': [
    async (req, res) => void res.json(await showDelivery(deps.db, deliveryIn(req))),
  ],
  'POST /api/tenants/:tenant/webhook/deliveries/:delivery/redeliver': [
    async (req, res) => {
      const delivery = deliveryIn(req);
      await sendAgain(deps, tenantOf(req), delivery.delivery);
      res.status(202).json(await showDelivery(deps.db, delivery));
    },
  ],
});

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** @throws Problem `delivery_not_found` for what can't be an id, without asking the database */
function deliveryIn(req: Request): { tenant: string; delivery: string } {
  const id = String(req.params.delivery);
  if (!uuid.test(id)) throw problems.deliveryNotFound();
  return { tenant: tenantOf(req).tenant, delivery: id.toLowerCase() };
}
