import { Router } from 'express';
import { problems } from '../../contract/problems.ts';
import type { Vault } from '../../core/credentials/vault.ts';
import { listOfferedAgents } from '../../core/insight/offered-agents.ts';
import { readRefusedFiles } from '../../core/insight/refused-files.ts';
import { readSessionDetails } from '../../core/insight/session-details.ts';
import type { Database } from '../../store/database.ts';
import { locateTenant } from '../../store/tables/tenants.ts';
import { sessionIdFrom } from '../http/public-ids.ts';

export interface TryDeps {
  db: Database;
  vault: Vault;
  /** Slug of the tenant whose agents are offered. */
  tenant: string;
}

/** What the try-it page reads beside the public interface. */
export function tryRoutes(deps: TryDeps): Router {
  const router = Router();
  router.get('/agents', async (_req, res) => {
    const tenant = await locateTenant(deps.db, deps.tenant);
    res.json(tenant ? await listOfferedAgents(deps, tenant) : []);
  });
  router.get('/refusal', async (_req, res) => {
    const tenant = await locateTenant(deps.db, deps.tenant);
    res.json(tenant ? await readRefusedFiles(deps.db, tenant) : null);
  });
  router.get('/sessions/:sessionId', async (req, res) => {
    const details = await readSessionDetails(deps.db, sessionIdFrom(req.params.sessionId));
    if (!details) throw problems.sessionNotFound();
    res.json(details);
  });
  return router;
}
