/** Typing mistakes in a tool's parameters that are valid JSON Schema and mean nothing. */
import { nearest } from '../../contract/nearest.ts';
import type { Finding } from '../faults.ts';

type Schema = Readonly<Record<string, unknown>>;

const keywords: readonly string[] = [
  ...[
    'type',
    'enum',
    'const',
    'title',
    'description',
    'default',
    'example',
    'examples',
    'format',
    'pattern',
    'deprecated',
  ],
  ...['properties', 'required', 'additionalProperties', 'patternProperties', 'propertyNames', 'minProperties'],
  ...['maxProperties', 'dependencies', 'items', 'additionalItems', 'contains', 'minItems', 'maxItems', 'uniqueItems'],
  ...['minLength', 'maxLength', 'minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf', 'nullable'],
  ...['allOf', 'anyOf', 'oneOf', 'not', 'if', 'then', 'else', 'definitions', 'readOnly', 'writeOnly'],
];

/** Looks into properties and items; what stands elsewhere is left to whoever writes such schemas. */
export function checkParameterNames(schema: Schema, path: readonly string[]): Finding[] {
  const { properties, items } = schema;
  return [
    ...misspelt(schema, path),
    ...unknownRequired(schema, path),
    ...(isSchema(properties)
      ? Object.entries(properties).flatMap(([name, part]) =>
          isSchema(part) ? checkParameterNames(part, [...path, 'properties', name]) : [],
        )
      : []),
    ...(isSchema(items) ? checkParameterNames(items, [...path, 'items']) : []),
  ];
}

const isSchema = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A keyword that nobody knows is allowed; one that is nearly a known one is a mistake that checks nothing. */
function misspelt(schema: Schema, path: readonly string[]): Finding[] {
  return Object.keys(schema).flatMap((name): Finding[] => {
    if (keywords.includes(name) || /^(?:[$]|x-)/.test(name)) return [];
    const near = nearest(name, keywords);
    if (near === undefined) return [];
    const message = `JSON Schema has no "${name}", so it checks nothing. Did you mean "${near}"?`;
    return [{ path: [...path, name], at: 'key', rule: 'tool-parameters', message, severity: 'warning' }];
  });
}

function unknownRequired(schema: Schema, path: readonly string[]): Finding[] {
  const { required, properties, additionalProperties, patternProperties } = schema;
  if (!Array.isArray(required) || !isSchema(properties) || patternProperties !== undefined) return [];
  const known = Object.keys(properties);
  return required.flatMap((name: unknown, index): Finding[] => {
    if (typeof name !== 'string' || known.includes(name)) return [];
    const near = nearest(name, known);
    const hint = near === undefined ? `Known: ${known.slice(0, 20).join(', ') || 'none'}.` : `Did you mean "${near}"?`;
    const impossible = additionalProperties === false;
    const message = `"${name}" is required and not among the properties${impossible ? ', so no call is valid' : ''}. ${hint}`;
    const severity = impossible ? 'error' : 'warning';
    return [{ path: [...path, 'required', `${index}`], rule: 'tool-parameters', message, severity }];
  });
}
