import type { Request } from 'express';
import { sees } from '../../core/account/routes.ts';
import type { CredentialDeps } from '../../core/credentials/credentials.ts';
import { newKeyFor, newSecretFor, shownCredentials } from '../../core/credentials/shown.ts';
import { actingOnce } from '../http/idempotency-key.ts';
import { rawBody, readBody } from '../http/json-body.ts';
import { tenantOf } from '../http/person-access.ts';
import { agentFrom } from '../http/public-ids.ts';
import type { Handlers } from './handlers.ts';

export type CredentialRouteDeps = CredentialDeps;

const ofAgent = '/api/tenants/:tenant/agents/:agent/credentials';
type Credentials = `GET ${typeof ofAgent}` | `POST ${typeof ofAgent}/${'key' | 'secret'}/regenerate`;

export const credentialRoutes = (deps: CredentialRouteDeps): Handlers<Credentials> => ({
  'GET /api/tenants/:tenant/agents/:agent/credentials': [
    async (req, res) => {
      const { tenant, role } = tenantOf(req);
      const owner = { tenant, agent: agentFrom(req.params.agent) };
      res.json(await shownCredentials(deps, owner, sees(role, 'apiKeys')));
    },
  ],
  'POST /api/tenants/:tenant/agents/:agent/credentials/key/regenerate': [
    rawBody,
    async (req, res) => void res.json(await newKeyFor(deps, ...renewalIn(req))),
  ],
  'POST /api/tenants/:tenant/agents/:agent/credentials/secret/regenerate': [
    rawBody,
    async (req, res) => void res.json(await newSecretFor(deps, ...renewalIn(req))),
  ],
});

function renewalIn(req: Request) {
  const given = readBody(req, 'regenerateCredential');
  return [actingOnce(req, given), { agent: agentFrom(req.params.agent), ...given }] as const;
}
