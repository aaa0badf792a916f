import { problems } from '../../contract/problems.ts';
import { listShownRevisions } from '../../core/agents/list-revisions.ts';
import {
  type AgentsDeps,
  listShownAgents,
  listShownVersions,
  showAgent,
  showVersion,
} from '../../core/insight/agents.ts';
import { previewPrompt } from '../../core/insight/preview-prompt.ts';
import { askForScenarios, listShownScenarios } from '../../core/scenarios/shown.ts';
import type { Clock } from '../../process/clock.ts';
import { rawBody, readBody } from '../http/json-body.ts';
import { tenantOf } from '../http/person-access.ts';
import { agentFrom, agentNamePattern } from '../http/public-ids.ts';
import type { Handlers } from './handlers.ts';
import { listQuery } from './list-query.ts';
import { knownOnly } from './query.ts';

export interface PromptsRouteDeps extends AgentsDeps {
  clock: Clock;
}

const prompts = '/api/tenants/:tenant/prompts';
type Prompts =
  | 'POST /api/tenants/:tenant/prompts/:agent/preview'
  | `GET ${typeof prompts}${'' | '/:agent' | '/:agent/versions' | '/:agent/versions/:version'}`
  | 'GET /api/tenants/:tenant/revisions'
  | 'GET /api/tenants/:tenant/scenarios'
  | 'POST /api/tenants/:tenant/agents/:agent/scenarios/run';

const wholeHash = /^[0-9a-f]{64}$/;
/** As the API shows them, or more of it. */
const shownHash = /^[0-9a-f]{12,64}$/;

export const promptRoutes = ({ db, clock, missingSecret }: PromptsRouteDeps): Handlers<Prompts> => ({
  'GET /api/tenants/:tenant/prompts': [
    async (req, res) => {
      const { limit, cursor } = listQuery(req.query, []);
      res.json(
        await listShownAgents({ db, missingSecret }, tenantOf(req).tenant, { limit, after: cursor(agentNamePattern) }),
      );
    },
  ],
  'GET /api/tenants/:tenant/prompts/:agent': [
    async (req, res) => {
      const language = listQuery(req.query, ['language']).text('language');
      const { tenant } = tenantOf(req);
      const shown = await showAgent(
        { db, missingSecret },
        { tenant, agent: agentFrom(req.params.agent), language },
        clock.now(),
      );
      // Of the file alone: the rest of the answer changes by itself, so nobody is told that it has not.
      if (shown.file) res.set('ETag', `"${shown.file.id}"`);
      res.json(shown);
    },
  ],
  'POST /api/tenants/:tenant/prompts/:agent/preview': [
    rawBody,
    async (req, res) => {
      const { tenant } = tenantOf(req);
      const { prompt, language } = readBody(req, 'previewPrompt');
      const asked = { tenant, agent: agentFrom(req.params.agent), prompt, language };
      res.json(await previewPrompt(db, asked, clock.now()));
    },
  ],
  'GET /api/tenants/:tenant/prompts/:agent/versions': [
    async (req, res) => {
      const { limit, cursor } = listQuery(req.query, []);
      const of = { tenant: tenantOf(req).tenant, agent: agentFrom(req.params.agent) };
      res.json(await listShownVersions(db, of, { limit, after: cursor(wholeHash) }));
    },
  ],
  'GET /api/tenants/:tenant/prompts/:agent/versions/:version': [
    async (req, res) => {
      const agent = agentFrom(req.params.agent);
      const against = listQuery(req.query, ['against']).text('against');
      const version = versionFrom(agent, req.params.version);
      const other = against === undefined ? undefined : versionFrom(agent, against);
      res.json(await showVersion(db, { tenant: tenantOf(req).tenant, agent, version, against: other }));
    },
  ],
  'GET /api/tenants/:tenant/scenarios': [
    async (req, res) => {
      knownOnly(req.query, []);
      res.json(await listShownScenarios(db, tenantOf(req).tenant, clock.now()));
    },
  ],
  'POST /api/tenants/:tenant/agents/:agent/scenarios/run': [
    async (req, res) => {
      const agent = agentFrom(req.params.agent);
      await askForScenarios(db, tenantOf(req), agent, clock.now());
      res.status(202).json({ agent });
    },
  ],
  'GET /api/tenants/:tenant/revisions': [
    async (req, res) => {
      const { limit, number } = listQuery(req.query, []);
      const cursor = number();
      const page = { limit, ...(cursor === undefined ? {} : { cursor: String(cursor) }) };
      res.json(await listShownRevisions(db, tenantOf(req).tenant, page));
    },
  ],
});

/** @throws Problem `version_not_found` for what can't be one, without asking the database */
function versionFrom(agent: string, text: unknown): string {
  if (typeof text === 'string' && shownHash.test(text)) return text;
  throw problems.versionNotFound(agent, String(text).slice(0, 64));
}
