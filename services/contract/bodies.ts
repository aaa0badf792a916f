/** Checks of the bodies of public requests, at the edge. */
import type { ApiBodies } from './generated/api.ts';
import { bodyValidators } from './schemas.ts';
import { type Explanation, explainAll } from './wording.ts';

export type BodyName = keyof ApiBodies;

export interface BodyFault {
  /** The field, or an empty text when it is the body itself. */
  path: string;
  message: string;
}

export type BodyCheck<Name extends BodyName> =
  | { ok: true; value: ApiBodies[Name] }
  | { ok: false; details: BodyFault[] };

/** More would only make the answer large. */
const mostFaults = 20;

/** Checks a parsed body. No body at all is a body without fields, and null is a field left out. */
export function checkBody<Name extends BodyName>(name: Name, body: unknown): BodyCheck<Name> {
  const value = body === undefined || body === null ? {} : body;
  if (typeof value !== 'object' || Array.isArray(value)) {
    return { ok: false, details: [{ path: '', message: 'The body must be a JSON object.' }] };
  }
  const given = withoutNulls(value);
  const validate = bodyValidators[name];
  if (!validate(given)) return { ok: false, details: faultsOf(explainAll(validate.errors ?? [])) };
  const details = name === 'transcription' ? missingSession(given) : [];
  return details.length === 0 ? { ok: true, value: given } : { ok: false, details };
}

const withoutNulls = (body: object): Record<string, unknown> =>
  Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null));

const faultsOf = (explanations: readonly Explanation[]): BodyFault[] =>
  explanations.slice(0, mostFaults).map(({ path, missing, message }) => ({
    path: missing ?? path.join('.').slice(0, 100),
    message,
  }));

function missingSession(body: Record<string, unknown>): BodyFault[] {
  if (body.sessionId !== undefined || body.roomName !== undefined) return [];
  return [{ path: 'sessionId', message: 'Give "sessionId" or "roomName", so that the line finds its session.' }];
}
