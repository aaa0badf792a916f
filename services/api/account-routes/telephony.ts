import type { Request } from 'express';
import { problems } from '../../contract/problems.ts';
import { callStates, type NumberShown, type TrunkShown } from '../../contract/telephony.ts';
import { sees } from '../../core/account/routes.ts';
import type { Rooms } from '../../core/rooms/rooms.ts';
import type { EndDeps } from '../../core/sessions/end.ts';
import { callsOf, showCall, withNumbers } from '../../core/telephony/calls-shown.ts';
import { addNumber, changeNumber, numbersOf, removeNumber, showNumber } from '../../core/telephony/manage-numbers.ts';
import { addTrunk, changeTrunk, removeTrunk, showTrunk, trunksOf } from '../../core/telephony/manage-trunks.ts';
import { optIn, optOut, optOutsOf } from '../../core/telephony/opt-outs.ts';
import { type AskDeps, askForCall } from '../../core/telephony/outbound/ask.ts';
import { cancelCall } from '../../core/telephony/outbound/cancel.ts';
import { isPhoneNumber } from '../../core/telephony/phone-number.ts';
import { etagOf, withETag } from '../http/etag.ts';
import { actingOnce } from '../http/idempotency-key.ts';
import { ifMatchOf } from '../http/if-match.ts';
import { rawBody, readBody } from '../http/json-body.ts';
import { tenantOf } from '../http/person-access.ts';
import type { Handlers } from './handlers.ts';
import { listQuery } from './list-query.ts';

export interface TelephonyRouteDeps extends AskDeps, EndDeps {
  rooms: Rooms;
}

const tenant = '/api/tenants/:tenant';
type Telephony =
  | `${'GET' | 'POST'} ${typeof tenant}/${'trunks' | 'numbers' | 'outbound-calls' | 'opt-outs'}`
  | `${'GET' | 'PATCH' | 'DELETE'} ${typeof tenant}/${'trunks/:trunk' | 'numbers/:number'}`
  | `GET ${typeof tenant}/outbound-calls/:call`
  | `POST ${typeof tenant}/outbound-calls/:call/cancel`
  | `DELETE ${typeof tenant}/opt-outs`;

/** Trunks, numbers, calls out, and whom nobody calls. */
export const telephonyRoutes = (deps: TelephonyRouteDeps): Handlers<Telephony> => ({
  ...trunkRoutes(deps),
  ...numberRoutes(deps),
  ...callRoutes(deps),
  ...optOutRoutes(deps),
});

const trunkRoutes = (deps: TelephonyRouteDeps): Handlers<Telephony & `${string}/trunks${string}`> => ({
  'GET /api/tenants/:tenant/trunks': [
    async (req, res) => void res.json({ items: await trunksOf(deps.db, tenantOf(req)), nextCursor: null }),
  ],
  'POST /api/tenants/:tenant/trunks': [
    rawBody,
    async (req, res) => {
      const given = readBody(req, 'createTrunk');
      res.status(201).json(await addTrunk(deps, actingOnce(req, given), given));
    },
  ],
  'GET /api/tenants/:tenant/trunks/:trunk': [
    async (req, res) => withETag(req, res, await showTrunk(deps.db, tenantOf(req), trunkIn(req))),
  ],
  'PATCH /api/tenants/:tenant/trunks/:trunk': [
    rawBody,
    async (req, res) => {
      const tag = ifMatchOf(req);
      const isSame = (trunk: TrunkShown) => etagOf(trunk) === tag;
      const change = { id: trunkIn(req), given: readBody(req, 'changeTrunk'), isSame };
      withETag(req, res, await changeTrunk(deps.db, tenantOf(req), change));
    },
  ],
  'DELETE /api/tenants/:tenant/trunks/:trunk': [
    async (req, res) => {
      await removeTrunk(deps.db, tenantOf(req), trunkIn(req));
      res.status(204).end();
    },
  ],
});

const numberRoutes = (deps: TelephonyRouteDeps): Handlers<Telephony & `${string}/numbers${string}`> => ({
  'GET /api/tenants/:tenant/numbers': [
    async (req, res) => {
      const { limit, cursor } = listQuery(req.query, []);
      res.json(await numbersOf(deps.db, tenantOf(req), { limit, after: cursor(/^\+\d{6,15}$/) }));
    },
  ],
  'POST /api/tenants/:tenant/numbers': [
    rawBody,
    async (req, res) => {
      const given = readBody(req, 'createNumber');
      res.status(201).json(await addNumber(deps, actingOnce(req, given), given));
    },
  ],
  'GET /api/tenants/:tenant/numbers/:number': [
    async (req, res) => withETag(req, res, await showNumber(deps.db, tenantOf(req), numberIn(req))),
  ],
  'PATCH /api/tenants/:tenant/numbers/:number': [
    rawBody,
    async (req, res) => {
      const tag = ifMatchOf(req);
      const isSame = (number: NumberShown) => etagOf(number) === tag;
      const change = { number: numberIn(req), given: readBody(req, 'changeNumber'), isSame };
      withETag(req, res, await changeNumber(deps.db, tenantOf(req), change));
    },
  ],
  'DELETE /api/tenants/:tenant/numbers/:number': [
    async (req, res) => {
      await removeNumber(deps.db, tenantOf(req), numberIn(req));
      res.status(204).end();
    },
  ],
});

const callRoutes = (deps: TelephonyRouteDeps): Handlers<Telephony & `${string}/outbound-calls${string}`> => ({
  'GET /api/tenants/:tenant/outbound-calls': [
    async (req, res) => {
      const asked = listQuery(req.query, ['state', 'with']);
      const number = asked.text('with');
      if (number !== undefined && !isPhoneNumber(number))
        throw problems.invalidRequest('"with" must be a telephone number such as %2B4930123456.');
      const { limit } = asked;
      const filters = { state: asked.choice('state', callStates), with: number, cursor: asked.cursor(placeOfCall) };
      const { tenant, role } = tenantOf(req);
      const { items, nextCursor } = await callsOf(deps, tenant, { direction: 'outbound', ...filters, limit });
      res.json({ items: items.map((call) => withNumbers(call, sees(role, 'callersNumbers'))), nextCursor });
    },
  ],
  'POST /api/tenants/:tenant/outbound-calls': [
    rawBody,
    async (req, res) => {
      const given = readBody(req, 'askForCall');
      const acting = actingOnce(req, given);
      if (!acting.request)
        throw problems.invalidRequest(
          'Send an Idempotency-Key header: repeated without one, a request would call again.',
        );
      const { call } = await askForCall(deps, acting, given);
      res.status(202).json(call);
    },
  ],
  'GET /api/tenants/:tenant/outbound-calls/:call': [
    async (req, res) => {
      const { tenant, role } = tenantOf(req);
      const call = await showCall(deps, { tenant, id: callIn(req), direction: 'outbound' });
      res.json(withNumbers(call, sees(role, 'callersNumbers')));
    },
  ],
  'POST /api/tenants/:tenant/outbound-calls/:call/cancel': [
    async (req, res) => void res.json(await cancelCall(deps, tenantOf(req), callIn(req))),
  ],
});

const optOutRoutes = (deps: TelephonyRouteDeps): Handlers<Telephony & `${string}/opt-outs`> => ({
  'GET /api/tenants/:tenant/opt-outs': [
    async (req, res) => {
      const { limit, cursor } = listQuery(req.query, []);
      res.json(await optOutsOf(deps, tenantOf(req), { limit, before: cursor(/^\d{4}-[\d:.TZ-]{20}$/) }));
    },
  ],
  'POST /api/tenants/:tenant/opt-outs': [
    rawBody,
    async (req, res) => {
      await optOut(deps, tenantOf(req), readBody(req, 'optOut'));
      res.status(204).end();
    },
  ],
  'DELETE /api/tenants/:tenant/opt-outs': [
    rawBody,
    async (req, res) => {
      const { number } = readBody(req, 'optOut');
      await optIn(deps, tenantOf(req), number);
      res.status(204).end();
    },
  ],
});

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const placeOfCall = /^\d{4}-\d\d-\d\dT[\d:.]{15}Z~c_[\w-]{22}$/;

/** @throws Problem `trunk_not_found` for what can't be an id, without asking the database */
function trunkIn(req: Request): string {
  const id = String(req.params.trunk);
  if (!uuid.test(id)) throw problems.trunkNotFound();
  return id.toLowerCase();
}

/** With or without its plus, which an address may have lost. @throws Problem `number_not_found` */
function numberIn(req: Request): string {
  const number = `+${String(req.params.number).replace(/^[+ ]/, '')}`;
  if (!isPhoneNumber(number)) throw problems.numberNotFound();
  return number;
}

/** @throws Problem `call_not_found` */
function callIn(req: Request): string {
  const id = String(req.params.call);
  if (!/^c_[\w-]{22}$/.test(id)) throw problems.callNotFound();
  return id;
}
