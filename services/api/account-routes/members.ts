import type { Request } from 'express';
import { problems } from '../../contract/problems.ts';
import { sees } from '../../core/account/routes.ts';
import { type HandOverDeps, handOver } from '../../core/members/hand-over-invitation.ts';
import { changeRole, invite, type MembersDeps, memberOf, membersOf, remove } from '../../core/members/members.ts';
import { etagOf, withETag } from '../http/etag.ts';
import { actingOnce } from '../http/idempotency-key.ts';
import { sameAsRead } from '../http/if-match.ts';
import { rawBody, readBody } from '../http/json-body.ts';
import { letterLanguageOf } from '../http/letter-language.ts';
import { tenantOf } from '../http/person-access.ts';
import type { Handlers } from './handlers.ts';
import { listQuery } from './list-query.ts';

export type MembersRouteDeps = MembersDeps & HandOverDeps;

type Members =
  | `${'GET' | 'POST'} /api/tenants/:tenant/members`
  | `${'GET' | 'PATCH' | 'DELETE'} /api/tenants/:tenant/members/:member`;

export const memberRoutes = (deps: MembersRouteDeps): Handlers<Members> => ({
  'GET /api/tenants/:tenant/members': [
    async (req, res) => {
      const acting = tenantOf(req);
      const { limit, cursor } = listQuery(req.query, []);
      const seesInvited = sees(acting.role, 'invitations');
      const { items, invited, ...rest } = await membersOf(deps, acting, { limit, after: cursor(uuid), seesInvited });
      res.json({ items: items.map(tagged), ...rest, ...(invited && { invited: invited.map(tagged) }) });
    },
  ],
  'POST /api/tenants/:tenant/members': [
    rawBody,
    async (req, res) => {
      const given = readBody(req, 'inviteMember');
      const acting = actingOnce(req, given);
      res.json(await handOver(deps, acting, await invite(deps, acting, given), letterLanguageOf(req)));
    },
  ],
  'GET /api/tenants/:tenant/members/:member': [
    async (req, res) => withETag(req, res, await memberOf(deps, tenantOf(req), memberIn(req))),
  ],
  'PATCH /api/tenants/:tenant/members/:member': [
    rawBody,
    async (req, res) => {
      const isSame = sameAsRead(req);
      const { role } = readBody(req, 'changeMember');
      withETag(req, res, await changeRole(deps, tenantOf(req), { member: memberIn(req), role, isSame }));
    },
  ],
  'DELETE /api/tenants/:tenant/members/:member': [
    async (req, res) => {
      await remove(deps, tenantOf(req), memberIn(req), sameAsRead(req));
      res.status(204).end();
    },
  ],
});

/** With what If-Match wants of whoever changes it. */
const tagged = <Read extends object>(read: Read) => ({ ...read, etag: etagOf(read) });

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** @throws Problem `member_not_found` for what can't be an id, without asking the database */
function memberIn(req: Request): string {
  const id = String(req.params.member);
  if (!uuid.test(id)) throw problems.memberNotFound();
  return id.toLowerCase();
}
