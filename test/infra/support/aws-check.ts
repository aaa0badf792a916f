import type { Fields, Shape } from './aws-types.ts';
import { isUnknown, type Properties } from './property-values.ts';

/** Every property that is missing, unknown to the provider or of another type, in sentences with its path. */
export function propertyFaults(properties: Properties, fields: Fields, path = ''): string[] {
  const at = (name: string) => (path === '' ? name : `${path}.${name}`);
  const missing = [...fields]
    .filter(([name, { optional }]) => !optional && isAbsent(properties[name]))
    .map(([name]) => `${at(name)} is missing`);
  const given = Object.entries(properties).filter(([name, value]) => !isInternal(name) && !isAbsent(value));
  const wrong = given.flatMap(([name, value]) => {
    const field = fields.get(name);
    return field ? valueFaults(value, field.shape, at(name)) : [`${at(name)} is no property of this resource`];
  });
  return [...missing, ...wrong];
}

const isAbsent = (value: unknown) => value === undefined || value === null;
/** The engine's own, such as `__defaults`. */
const isInternal = (name: string) => name.startsWith('__');

function valueFaults(value: unknown, shape: Shape, path: string): string[] {
  if (isUnknown(value) || isAbsent(value)) return [];
  switch (shape.kind) {
    case 'anything':
      return [];
    case 'string':
    case 'number':
    case 'boolean':
      return isScalar(value, shape.kind) ? [] : [`${path} holds ${JSON.stringify(value)} and must be a ${shape.kind}`];
    case 'list':
      if (!Array.isArray(value)) return [`${path} must be a list`];
      return value.flatMap((item, index) => valueFaults(item, shape.item, `${path}[${index}]`));
    case 'map':
      if (!isRecord(value)) return [`${path} must be a map`];
      return Object.entries(value).flatMap(([name, item]) => valueFaults(item, shape.item, `${path}.${name}`));
    case 'object':
      if (!isRecord(value)) return [`${path} must be an object (${shape.name})`];
      return propertyFaults(value, shape.fields(), path);
    case 'choice': {
      const faults = shape.of.map((one) => valueFaults(value, one, path));
      return faults.some((found) => found.length === 0) ? [] : (faults[0] ?? []);
    }
  }
}

/** Numbers and booleans may come as texts, which the vendor's provider takes too. */
function isScalar(value: unknown, kind: 'string' | 'number' | 'boolean'): boolean {
  if (kind === 'number')
    return typeof value === 'number' || (typeof value === 'string' && value !== '' && !Number.isNaN(Number(value)));
  if (kind === 'boolean') return typeof value === 'boolean' || value === 'true' || value === 'false';
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}

const isRecord = (value: unknown): value is Properties =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
