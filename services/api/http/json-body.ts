import express, { type Request, type RequestHandler } from 'express';
import { type BodyFault, checkBody } from '../../contract/bodies.ts';
import type { ApiBodies } from '../../contract/generated/api.ts';
import { problems } from '../../contract/problems.ts';
import { bodyLimitBytes } from './body-limit.ts';

/**
 * Reads the body as bytes, whatever it is; `readBody` looks at it afterwards, because a signature is over the bytes.
 * @throws through Express: too large, encoded
 */
export const rawBody: RequestHandler = express.raw({ type: () => true, limit: bodyLimitBytes, inflate: false });

/** The bytes that `rawBody` read; empty when there were none. */
export const bytesOf = (req: Request): Buffer => (Buffer.isBuffer(req.body) ? req.body : Buffer.alloc(0));

/** The body of a request as the schema `name` describes it; no body is a body without fields. @throws Problem `unsupported_media_type`, `invalid_json`, `invalid_request` */
export function readBody<Name extends keyof ApiBodies>(req: Request, name: Name): ApiBodies[Name] {
  return validated(name, parseJson(bytesOf(req), req.headers['content-type']));
}

/** As `readBody`, for fields that came another way. @throws Problem `invalid_request` */
export function validated<Name extends keyof ApiBodies>(name: Name, fields: unknown): ApiBodies[Name] {
  const checked = checkBody(name, fields);
  const details = checked.ok ? unstorable(checked.value) : checked.details;
  if (details.length > 0) throw problems.invalidRequest(summary(details), details);
  if (!checked.ok) throw problems.invalidRequest('The body does not hold what this route takes.');
  return checked.value;
}

const summary = (details: readonly BodyFault[]) =>
  details
    .slice(0, 3)
    .map(({ message }) => message)
    .join(' ');

/** PostgreSQL has no way to keep the character NUL in a text. */
function unstorable(value: object): BodyFault[] {
  return Object.entries(value)
    .filter(([, field]) => typeof field === 'string' && field.includes('\0'))
    .map(([name]) => ({ path: name, message: `"${name}" must not contain the character NUL.` }));
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

export function parseJson(bytes: Buffer, contentType: string | undefined): unknown {
  if (bytes.length === 0) return {};
  if (!isJson(contentType)) throw problems.unsupportedMediaType();
  try {
    return JSON.parse(utf8.decode(bytes));
  } catch {
    throw problems.invalidJson();
  }
}

function isJson(contentType: string | undefined): boolean {
  const [type = '', ...parameters] = (contentType ?? '').toLowerCase().split(';');
  if (type.trim() !== 'application/json') return false;
  return parameters.every(
    (parameter) => !/^\s*charset\s*=/.test(parameter) || /^\s*charset\s*=\s*"?utf-?8"?\s*$/.test(parameter),
  );
}
