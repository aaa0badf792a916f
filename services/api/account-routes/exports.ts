import { randomBytes } from 'node:crypto';
import type { Request, RequestHandler, Response } from 'express';
import { problems } from '../../contract/problems.ts';
import { audited } from '../../core/account/acting.ts';
import type { RightsCache } from '../../core/account/rights.ts';
import { seen, sees } from '../../core/account/routes.ts';
import { csvLines, type ExportAsked, jsonLines } from '../../core/insight/export.ts';
import { sha256 } from '../../core/sessions/ids.ts';
import type { Database } from '../../store/database.ts';
import { type ExportFormat, insertExportTicket, takeExportTicket } from '../../store/tables/export-tickets.ts';
import { cutOff, untilItMustEnd, writeOut } from '../http/lasting-answer.ts';
import { personOf, tenantOf } from '../http/person-access.ts';
import type { Handlers } from './handlers.ts';
import { filtersIn, historyFilters } from './history-query.ts';
import { choiceIn, knownOnly, textIn } from './query.ts';

export interface ExportDeps {
  db: Database;
  rights: RightsCache;
  /** Fires when this process begins to stop. */
  stopping: AbortSignal;
}

type Exports =
  | 'POST /api/tenants/:tenant/exports'
  | 'GET /api/tenants/:tenant/sessions.csv'
  | 'GET /api/tenants/:tenant/sessions.jsonl';

const ticketSeconds = 60;

export const exportRoutes = (deps: ExportDeps): Handlers<Exports> => ({
  'POST /api/tenants/:tenant/exports': [
    async (req, res) => {
      const acting = tenantOf(req);
      const { tenant } = acting;
      const { person, signIn } = personOf(req);
      knownOnly(req.query, ['format', ...historyFilters]);
      const format = choiceIn(req.query, 'format', ['csv', 'jsonl']) ?? 'csv';
      const filters = filtersIn(req.query);
      const ticket = `et_${randomBytes(32).toString('base64url')}`;
      const row = { hash: sha256(ticket), person_id: person, sign_in_id: signIn, format, filters: { ...filters } };
      // Which filters, and not for what: words that are searched for may be somebody's.
      const given = Object.keys(req.query).filter((name) => name !== 'format');
      const deed = { action: 'sessions.exported', target: format, details: { filters: given } } as const;
      await deps.db.asTenant(tenant, async (tx) => {
        await insertExportTicket(tx, tenant, { ...row, seconds: ticketSeconds });
        await audited(tx, acting, deed);
      });
      const url = `/api/tenants/${tenant}/sessions.${format}?ticket=${ticket}`;
      res.json({ url, expiresInSeconds: ticketSeconds });
    },
  ],
  'GET /api/tenants/:tenant/sessions.csv': [fetched(deps, 'csv')],
  'GET /api/tenants/:tenant/sessions.jsonl': [fetched(deps, 'jsonl')],
});

const types: Record<ExportFormat, string> = {
  csv: 'text/csv; charset=utf-8; header=present',
  jsonl: 'application/jsonl; charset=utf-8',
};

const fetched =
  (deps: ExportDeps, format: ExportFormat): RequestHandler =>
  async (req, res) => {
    const { caller, tenant, role, filters } = await redeem(deps, req, format);
    const toolArguments = format === 'jsonl' && sees(role, 'toolArguments');
    // Whoever may see arguments no more gets no more of what has them.
    const least = toolArguments ? seen.toolArguments.least : 'viewer';
    const signal = untilItMustEnd(res, deps, { caller, tenant, least });
    const lines =
      format === 'csv' ? csvLines(deps.db, tenant, filters) : jsonLines(deps.db, tenant, filters, { toolArguments });
    res.set({
      'Content-Type': types[format],
      'Content-Disposition': `attachment; filename="conversations.${format}"`,
      'X-Content-Type-Options': 'nosniff',
    });
    await sendAll(req, res, lines, signal);
  };

async function sendAll(req: Request, res: Response, lines: AsyncGenerator<string>, signal: AbortSignal) {
  for await (const text of lines) if (!(await writeOut(res, text, signal))) return cutOff(req);
  res.end();
}

const tenantPattern = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** The ticket's person may still see what it is for. @throws Problem `invalid_request`, `invalid_ticket` */
async function redeem({ db, rights }: ExportDeps, req: Request, format: ExportFormat) {
  knownOnly(req.query, ['ticket']);
  const ticket = textIn(req.query, 'ticket');
  if (ticket === undefined)
    throw problems.invalidRequest('"ticket" is missing: POST /api/tenants/…/exports gives one.');
  const tenant = String(req.params.tenant).toLowerCase();
  if (!tenantPattern.test(tenant)) throw problems.ticketInvalid();
  const found = await db.asTenant(tenant, (tx) => takeExportTicket(tx, sha256(ticket), format));
  if (!found) throw problems.ticketInvalid();
  const caller = { person: found.person_id, signIn: found.sign_in_id };
  const role = (await rights.of(caller))?.roles.get(tenant);
  if (role === undefined) throw problems.ticketInvalid();
  return { caller, tenant, role, filters: found.filters as ExportAsked };
}
