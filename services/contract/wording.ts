/** What a failed schema check means in one plain sentence, and which part of the value it is about. */
import { nearest } from './nearest.ts';
import type { SchemaError } from './schemas.ts';

export type Path = readonly string[];

export interface Explanation {
  /** Keys from the root to the part; list positions as decimal numbers. */
  path: Path;
  /** Whether the part's name is wrong or its value. */
  at: 'key' | 'value';
  rule: string;
  message: string;
  /** The field to add to the part, when that is the fault. */
  missing?: string;
  /** The field that a name which is none was probably meant to be. */
  meant?: string;
}

interface FaultySchema {
  title?: string;
  description?: string;
  pattern?: string;
  type?: string | string[];
  properties?: Record<string, { description?: string; $ref?: string }>;
  minimum?: number;
  maximum?: number;
  durationMinimum?: string;
  durationMaximum?: string;
  notBuiltIn?: { values: readonly string[]; rule: string; message: string };
}

export function explain(error: SchemaError): Explanation {
  const path = pathOf(error.instancePath);
  const schema = (error.parentSchema ?? {}) as FaultySchema;
  const name = nameOf(path);
  const at = (message: string, where: Pick<Explanation, 'path' | 'at'> = { path, at: 'value' }): Explanation => ({
    ...where,
    rule: error.keyword,
    message,
  });
  switch (error.keyword) {
    case 'additionalProperties':
      return unknownField(path, String(error.params.additionalProperty), schema);
    case 'required':
      return missingField(path, String(error.params.missingProperty), schema);
    case 'propertyNames':
      return at(`${name} has a name that is not allowed: ${quote(error.params.propertyName)}.`, {
        path: [...path, String(error.params.propertyName)],
        at: 'key',
      });
    case 'type':
      return at(`${name} must be ${expectedType(schema)}, not ${typeNameOf(error.data)}.`);
    case 'enum':
      return notBuiltIn(error.data, schema, path) ?? at(wrongChoice(name, error.data, error.params.allowedValues));
    case 'const':
      return at(`${name} must be ${JSON.stringify(error.params.allowedValue)} or left out.`);
    case 'pattern':
      return at(`${name} is not right: ${quote(error.data)}. ${patternHint(schema)}`);
    case 'minLength':
    case 'minItems':
    case 'minProperties':
      return at(`${name} must not be empty.`);
    case 'maxLength':
      return at(`${name} is too long: ${lengthOf(error.data)} characters, at most ${error.params.limit} are allowed.`);
    case 'maxItems':
    case 'maxProperties':
      return at(`${name} has too many entries: at most ${error.params.limit} are allowed.`);
    case 'uniqueItems':
      return at(`${name} has the same entry twice; keep one.`, {
        path: [...path, String(Math.max(error.params.i, error.params.j))],
        at: 'value',
      });
    case 'minimum':
    case 'maximum':
      return at(`${name} must be between ${schema.minimum} and ${schema.maximum}, not ${quote(error.data)}.`);
    case 'durationMinimum':
    case 'durationMaximum':
      return at(
        `${name} must be between ${schema.durationMinimum} and ${schema.durationMaximum}, not ${quote(error.data)}.`,
      );
    default:
      return at(`${name} ${error.message ?? 'is not right'}.`);
  }
}

/** Explanations of all errors, without those that only repeat another. */
export function explainAll(errors: readonly SchemaError[]): Explanation[] {
  // A key that breaks a rule of propertyNames is reported by that rule, not by the pattern inside it as well.
  const own = errors.filter((error) => error.propertyName === undefined);
  return own.map(explain);
}

/** Without fields that are missing only because their name was mistyped, which is told. */
export function withoutEchoes(explanations: readonly Explanation[]): Explanation[] {
  const meant = new Set(
    explanations.flatMap(({ path, meant }) => (meant === undefined ? [] : [[...path.slice(0, -1), meant].join('/')])),
  );
  return explanations.filter(({ path, missing }) => missing === undefined || !meant.has([...path, missing].join('/')));
}

function unknownField(path: Path, field: string, schema: FaultySchema): Explanation {
  const known = Object.keys(schema.properties ?? {});
  const near = nearest(field, known);
  const hint = near === undefined ? `Known here: ${known.join(', ')}.` : `Did you mean "${near}"?`;
  const where = path.length === 0 ? '' : ` in ${nameOf(path)}`;
  return {
    path: [...path, field],
    at: 'key',
    rule: 'unknown-field',
    message: `There is no field ${quote(field)}${where}. ${hint}`,
    ...(near !== undefined && { meant: near }),
  };
}

function missingField(path: Path, field: string, schema: FaultySchema): Explanation {
  const where = path.length === 0 ? '' : ` in ${nameOf(path)}`;
  const description = schema.properties?.[field]?.description;
  const hint = description === undefined ? '' : ` ${description}`;
  return {
    path,
    at: 'key',
    rule: 'required',
    message: `The field "${field}" is missing${where}.${hint}`,
    missing: field,
  };
}

function notBuiltIn(given: unknown, { notBuiltIn }: FaultySchema, path: Path): Explanation | undefined {
  if (typeof given !== 'string' || !notBuiltIn?.values.includes(given)) return undefined;
  const { rule, message } = notBuiltIn;
  return { path, at: 'value', rule, message: message.replace('{value}', given) };
}

function wrongChoice(name: string, given: unknown, allowed: readonly unknown[]): string {
  const choices = allowed.map(String);
  const near = typeof given === 'string' ? nearest(given, choices) : undefined;
  const hint = near === undefined ? '' : ` Did you mean "${near}"?`;
  return `${name} must be ${listed(choices)}, not ${quote(given)}.${hint}`;
}

function expectedType(schema: FaultySchema): string {
  if (schema.title === 'SecretReference') return '{env: NAME} with the name of an environment variable';
  if (schema.durationMinimum !== undefined) return 'a duration such as 30s, 10m, 1h or 90d';
  const types = [schema.type ?? []].flat();
  const named = schema.properties?.env === undefined ? typeNames : { ...typeNames, object: '{env: NAME}' };
  return listed(types.map((type) => named[type] ?? type));
}

const typeNames: Record<string, string> = {
  string: 'text',
  integer: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  array: 'a list',
  object: 'a map of fields',
};

function typeNameOf(value: unknown): string {
  if (value === null || value === undefined) return 'empty';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return 'a map of fields';
  if (typeof value === 'string') return `the text ${quote(value)}`;
  return quote(value);
}

const patternHint = (schema: FaultySchema): string => {
  if (schema.durationMinimum !== undefined) return 'Write a duration such as 30s, 10m, 1h or 90d.';
  return schema.description ?? `It must match ${schema.pattern}.`;
};

const listed = (words: readonly string[]): string =>
  words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;

/** `limits.turns` for a field, `languages[0].code` inside a list. */
function nameOf(path: Path): string {
  if (path.length === 0) return 'This';
  const joined = path.reduce((name, key) => (/^[0-9]+$/.test(key) ? `${name}[${key}]` : `${name}.${key}`), '');
  return `"${shortened(joined.replace(/^\./, ''), 120)}"`;
}

const pathOf = (pointer: string): string[] =>
  pointer
    .split('/')
    .slice(1)
    .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'));

const lengthOf = (value: unknown): number => (typeof value === 'string' ? [...value].length : 0);

/** A value as it was written, on one line and short. */
export const quote = (value: unknown): string =>
  typeof value === 'string'
    ? `"${shortened(value.replaceAll(/[\p{C}\s]+/gu, ' '), 60)}"`
    : shortened(String(value), 60);

function shortened(text: string, length: number): string {
  const characters = [...text];
  return characters.length <= length ? text : `${characters.slice(0, length).join('')}…`;
}
