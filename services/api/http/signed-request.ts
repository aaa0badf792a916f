import type { Request } from 'express';
import { problems } from '../../contract/problems.ts';
import { secretBytes, signingSecrets } from '../../core/credentials/credentials.ts';
import type { Vault } from '../../core/credentials/vault.ts';
import type { Clock } from '../../process/clock.ts';
import type { Database } from '../../store/database.ts';
import { accessOf } from './agent-access.ts';
import { bytesOf } from './json-body.ts';
import { checkSignature } from './signature.ts';

export interface SignatureDeps {
  db: Database;
  vault: Vault;
  clock: Clock;
}

/**
 * The signature of a request whose body was read; undefined when it carries none and its agent needs none.
 * @throws Problem `invalid_signature`
 */
export async function readSignature({ db, vault, clock }: SignatureDeps, req: Request): Promise<Buffer | undefined> {
  const { agent } = accessOf(req);
  const header = req.get('X-Signature');
  if (header === undefined) {
    if (agent.settings.sessions.requireSignature) throw problems.signatureMissing();
    return undefined;
  }
  const secrets = await signingSecrets({ db, vault }, agent);
  const request = { header, method: req.method, target: req.originalUrl, body: bytesOf(req) };
  const check = checkSignature(request, secrets.map(secretBytes), clock.now());
  if (!check.ok) throw problems.signatureInvalid(check.why);
  return check.signature;
}
