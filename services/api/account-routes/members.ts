import type { Request } from 'express';
import { problems } from '../../contract/problems.ts';
import { isAtLeast } from '../../contract/roles.ts';
import { sees } from '../../core/account/routes.ts';
import { type HandOverDeps, handOver } from '../../core/members/hand-over-invitation.ts';
import { changeRole, invite, type MembersDeps, membersOf, remove } from '../../core/members/members.ts';
import { actingOnce } from '../http/idempotency-key.ts';
import { rawBody, readBody } from '../http/json-body.ts';
import { tenantOf } from '../http/person-access.ts';
import type { Handlers } from './handlers.ts';
import { listQuery } from './list-query.ts';

export type MembersRouteDeps = MembersDeps & HandOverDeps;

type Members =
  | `${'GET' | 'POST'} /api/tenants/:tenant/members`
  | `${'PATCH' | 'DELETE'} /api/tenants/:tenant/members/:member`;

export const memberRoutes = (deps: MembersRouteDeps): Handlers<Members> => ({
  'GET /api/tenants/:tenant/members': [
    async (req, res) => {
      const acting = tenantOf(req);
      const { limit, cursor } = listQuery(req.query, []);
      const seesInvited = isAtLeast(acting.role, sees.invitations);
      res.json(await membersOf(deps, acting, { limit, after: cursor(uuid), seesInvited }));
    },
  ],
  'POST /api/tenants/:tenant/members': [
    rawBody,
    async (req, res) => {
      const given = readBody(req, 'inviteMember');
      const acting = actingOnce(req, given);
      res.json(await handOver(deps, acting, await invite(deps, acting, given)));
    },
  ],
  'PATCH /api/tenants/:tenant/members/:member': [
    rawBody,
    async (req, res) => {
      const { role } = readBody(req, 'changeMember');
      res.json(await changeRole(deps, tenantOf(req), { member: memberIn(req), role }));
    },
  ],
  'DELETE /api/tenants/:tenant/members/:member': [
    async (req, res) => {
      await remove(deps, tenantOf(req), memberIn(req));
      res.status(204).end();
    },
  ],
});

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** @throws Problem `member_not_found` for what can't be an id, without asking the database */
function memberIn(req: Request): string {
  const id = String(req.params.member);
  if (!uuid.test(id)) throw problems.memberNotFound();
  return id.toLowerCase();
}
