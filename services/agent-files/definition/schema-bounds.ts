/**
 * Bounds of the JSON Schemas that authors write. They run on what a model and a person say, in a process that other conversations
 * share, so how long they can take has to follow from the schema itself, as with patterns of scripts.
 */
import { patternProblem } from './patterns.ts';

export interface SchemaProblem {
  path: string[];
  message: string;
}

type Schema = Record<string, unknown>;

/** Levels of objects and lists that people describe to a model. */
const mostDepth = 20;
/** Parts, each counted wherever a reference brings it: what a value is checked against at most. */
const mostParts = 1_000;

const mapsOfSchemas = ['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas', 'dependencies'];
const listsOfSchemas = ['allOf', 'anyOf', 'oneOf', 'prefixItems', 'items'];
const schemas = [
  ...['items', 'additionalItems', 'unevaluatedItems', 'contains', 'additionalProperties', 'unevaluatedProperties'],
  ...['propertyNames', 'not', 'if', 'then', 'else'],
];
/** Parts that check nothing by themselves. */
const definitions = ['$defs', 'definitions'];

/** What is wrong with the size of a schema or with one of its patterns, and where; undefined: it is good to use. */
export function schemaBoundsProblem(schema: Schema): SchemaProblem | undefined {
  return patternsProblem(schema, [], 0) ?? sizeProblem(schema);
}

interface Part {
  schema: Schema;
  path: string[];
}

/** The schemas right below one, by the keywords that hold them; what stands under `default` or `const` is no schema. */
function partsOf(schema: Schema): Part[] {
  return Object.entries(schema).flatMap(([keyword, value]): Part[] => {
    if (mapsOfSchemas.includes(keyword) && isSchema(value)) return below(Object.entries(value), [keyword]);
    if (listsOfSchemas.includes(keyword) && Array.isArray(value))
      return below(
        value.map((part, index): [string, unknown] => [`${index}`, part]),
        [keyword],
      );
    return schemas.includes(keyword) && isSchema(value) ? [{ schema: value, path: [keyword] }] : [];
  });
}

const below = (entries: readonly [string, unknown][], path: readonly string[]): Part[] =>
  entries.flatMap(([name, part]) => (isSchema(part) ? [{ schema: part, path: [...path, name] }] : []));

const isSchema = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function patternsProblem(schema: Schema, path: readonly string[], depth: number): SchemaProblem | undefined {
  if (depth > mostDepth)
    return { path: [...path], message: `The schema is nested more than ${mostDepth} levels deep; make it flatter.` };
  const own = patternsIn(schema).flatMap(([at, pattern]) => {
    const message = patternProblem(pattern);
    return message === undefined ? [] : [{ path: [...path, ...at], message }];
  });
  if (own[0]) return own[0];
  for (const part of partsOf(schema)) {
    const found = patternsProblem(part.schema, [...path, ...part.path], depth + 1);
    if (found) return found;
  }
  return undefined;
}

function patternsIn({ pattern, patternProperties }: Schema): [path: string[], pattern: string][] {
  return [
    ...(typeof pattern === 'string' ? ([[['pattern'], pattern]] as [string[], string][]) : []),
    ...(isSchema(patternProperties)
      ? Object.keys(patternProperties).map((key): [string[], string] => [['patternProperties', key], key])
      : []),
  ];
}

/** References are followed, so that a few lines which refer to each other twice are not taken for few. */
function sizeProblem(root: Schema): SchemaProblem | undefined {
  let parts = 0;
  const visit = (schema: Schema, path: readonly string[], followed: readonly unknown[]): SchemaProblem | undefined => {
    parts += 1;
    if (parts > mostParts)
      return {
        path: [],
        message: `The schema has more than ${mostParts} parts, references included; make it smaller.`,
      };
    const reference = schema.$ref === undefined ? undefined : referredBy(root, schema.$ref);
    if (reference === 'unusable') {
      const message = 'A schema can be referred to by its place in this one only, such as #/$defs/address.';
      return { path: [...path, '$ref'], message };
    }
    if (reference && followed.includes(reference))
      return { path: [...path, '$ref'], message: 'A schema must not refer to itself: it would have no end.' };
    const checked = partsOf(schema).filter(({ path: [keyword = ''] }) => !definitions.includes(keyword));
    const all = [
      ...checked.map((part) => ({ ...part, path: [...path, ...part.path], from: followed })),
      ...(reference ? [{ schema: reference, path: [...path], from: [...followed, reference] }] : []),
    ];
    for (const part of all) {
      const found = visit(part.schema, part.path, part.from);
      if (found) return found;
    }
    return undefined;
  };
  return visit(root, [], [root]);
}

/** What a JSON pointer into the schema leads to; undefined: nothing, which the validator tells. */
function referredBy(root: Schema, reference: unknown): Schema | 'unusable' | undefined {
  if (reference === '#') return root;
  if (typeof reference !== 'string' || !reference.startsWith('#/')) return 'unusable';
  const steps = reference
    .slice(2)
    .split('/')
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
  const found = steps.reduce<unknown>(
    (at, step) => (typeof at === 'object' && at !== null ? (at as Schema)[step] : undefined),
    root,
  );
  return isSchema(found) ? found : undefined;
}
