import { createHash } from 'node:crypto';

/** JSON with the keys of every object sorted by code unit, so that equal values give equal texts. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) => (isPlainObject(part) ? sortKeys(part) : part));
}

/** Hex SHA-256 of the canonical JSON of any JSON value. */
export const hashOf = (value: unknown): string => createHash('sha256').update(canonicalJson(value)).digest('hex');

const isPlainObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function sortKeys(object: Record<string, unknown>): Record<string, unknown> {
  // Without a prototype a key called __proto__ is a key like any other.
  const sorted: Record<string, unknown> = Object.create(null);
  for (const key of Object.keys(object).sort()) sorted[key] = object[key];
  return sorted;
}
