import type { Request, Response } from 'express';
import type { ChangeShown } from '../../contract/deployment-answers.ts';
import { problems } from '../../contract/problems.ts';
import { sees } from '../../core/account/routes.ts';
import { type AskDeps, type AskedChange, askForChange } from '../../core/agents/ask-for-change.ts';
import { listShownChanges, showChange, toShownChange } from '../../core/insight/changes.ts';
import { scenarioOf } from '../../core/scenarios/from-session.ts';
import { actingOnce } from '../http/idempotency-key.ts';
import { fileIdMatched } from '../http/if-match.ts';
import { rawBody, readBody } from '../http/json-body.ts';
import { tenantOf } from '../http/person-access.ts';
import { agentFrom } from '../http/public-ids.ts';
import type { Handlers } from './handlers.ts';
import { listQuery } from './list-query.ts';
import { sessionIn } from './sessions.ts';

export type ChangesRouteDeps = AskDeps;

type Changes =
  | `PUT /api/tenants/:tenant/${'prompts/:agent' | 'agents/:agent/webhook'}`
  | 'POST /api/tenants/:tenant/sessions/:session/scenario'
  | `GET /api/tenants/:tenant/changes${'' | '/:change'}`;

const filters = ['agent', 'kind', 'state'] as const;

export const changeRoutes = (deps: ChangesRouteDeps): Handlers<Changes> => ({
  'PUT /api/tenants/:tenant/prompts/:agent': [
    rawBody,
    async (req, res) => {
      const editedFileId = fileIdMatched(req);
      const { prompt, ...given } = readBody(req, 'changePrompt');
      await answer(deps, { req, res }, { ...commonOf(req, given), wanted: { prompt }, editedFileId });
    },
  ],
  'PUT /api/tenants/:tenant/agents/:agent/webhook': [
    rawBody,
    async (req, res) => {
      const editedFileId = fileIdMatched(req);
      const { url = null, ...given } = readBody(req, 'changeWebhook');
      await answer(deps, { req, res }, { ...commonOf(req, given), wanted: { url }, editedFileId });
    },
  ],
  'POST /api/tenants/:tenant/sessions/:session/scenario': [
    rawBody,
    async (req, res) => {
      const { name, redact = false, message, as = 'proposal' } = readBody(req, 'addScenario');
      const session = sessionIn(req);
      const wish = { name, isMasked: redact };
      const { agent } = await deps.db.asTenant(tenantOf(req).tenant, (tx) => scenarioOf(tx, session, wish));
      const wanted = { session, ...wish };
      await answer(deps, { req, res }, { ...{ agent, wanted, message, as }, editedFileId: undefined });
    },
  ],
  'GET /api/tenants/:tenant/changes': [
    async (req, res) => {
      const asked = listQuery(req.query, filters);
      const by = {
        ...{ agent: asked.text('agent'), kind: asked.choice('kind', ['prompt', 'webhook', 'scenario']) },
        state: asked.choice('state', ['pending', 'written', 'refused']),
        ...{ limit: asked.limit, cursor: asked.cursor(/./) },
      };
      const { items, nextCursor } = await listShownChanges(deps.db, tenantOf(req).tenant, by);
      res.json({ items: items.map((change) => shownTo(req, change)), nextCursor });
    },
  ],
  'GET /api/tenants/:tenant/changes/:change': [
    async (req, res) =>
      void res.json(shownTo(req, await showChange(deps.db, { tenant: tenantOf(req).tenant, change: changeIn(req) }))),
  ],
});

const commonOf = (req: Request, { message, as = 'proposal' }: { message?: string; as?: AskedChange['as'] }) => ({
  ...{ agent: agentFrom(req.params.agent), message, as },
});

/** 202 while it is pending, with the address under which it is looked at again. The file as it was written has another ETag. */
async function answer(deps: AskDeps, { req, res }: { req: Request; res: Response }, asked: AskedChange): Promise<void> {
  // The same words on another file are another request.
  const acting = actingOnce(req, { ...asked.wanted, as: asked.as, file: asked.editedFileId });
  const change = toShownChange(await askForChange(deps, acting, asked));
  if (change.kind !== 'scenario' && change.fileId !== null && change.link === null && !change.fellBack)
    res.set('ETag', `"${change.fileId}"`);
  res.set('Location', `/api/tenants/${acting.tenant}/changes/${change.id}`);
  res.status(change.state === 'pending' ? 202 : 200).json(change);
}

/** Where conversations are sent may be a secret. */
function shownTo(req: Request, change: ChangeShown): Omit<ChangeShown, 'wanted'> & Partial<ChangeShown> {
  if (change.kind !== 'webhook' || sees(tenantOf(req).role, 'webhooks')) return change;
  const { wanted: _, ...shown } = change;
  return shown;
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** @throws Problem `change_not_found` for what can't be an id, without asking the database */
function changeIn(req: Request): string {
  const id = String(req.params.change);
  if (!uuid.test(id)) throw problems.changeNotFound();
  return id.toLowerCase();
}
