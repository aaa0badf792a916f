import { describe, expect, test } from 'vitest';
import { schemaBoundsProblem } from './schema-bounds.ts';

const slow = '^([a-zA-Z]+ ?)+$';
const text = { type: 'string' };
const nested = (levels: number): Record<string, unknown> =>
  levels === 0 ? text : { type: 'object', properties: { a: nested(levels - 1) } };

describe('a pattern that could take very long is found', () => {
  test.each([
    ['in a property', { properties: { a: { pattern: slow } } }, ['properties', 'a', 'pattern']],
    ['as the name of properties', { patternProperties: { [slow]: {} } }, ['patternProperties', slow]],
    ['in names of properties', { propertyNames: { pattern: slow } }, ['propertyNames', 'pattern']],
    ['in items', { items: { pattern: slow } }, ['items', 'pattern']],
    ['in one of several', { anyOf: [{}, { pattern: slow }] }, ['anyOf', '1', 'pattern']],
    ['in a negation', { not: { pattern: slow } }, ['not', 'pattern']],
    ['in a definition', { $defs: { a: { pattern: slow } } }, ['$defs', 'a', 'pattern']],
    ['beside others', { additionalProperties: { pattern: slow } }, ['additionalProperties', 'pattern']],
  ])('%s', (_where, schema, path) => {
    expect(schemaBoundsProblem(schema)).toEqual({ path, message: expect.stringContaining('could take very long') });
  });

  test('and a property that is called pattern, or a value that looks like one, is none', () => {
    expect(schemaBoundsProblem({ properties: { pattern: text }, default: { pattern: slow } })).toBeUndefined();
    expect(
      schemaBoundsProblem({ properties: { code: { type: 'string', pattern: '^[A-Z]{2}[0-9]{4}$' } } }),
    ).toBeUndefined();
  });
});

describe('a schema is too large', () => {
  test('when it is nested deeply', () => {
    expect(schemaBoundsProblem(nested(20))).toBeUndefined();
    expect(schemaBoundsProblem(nested(21))?.message).toMatch(/more than 20 levels/);
  });

  test('when references make much of little', () => {
    const levels = Array.from({ length: 30 }, (_, level) => {
      const next = { $ref: `#/$defs/l${level + 1}` };
      return [`l${level}`, { anyOf: [next, next] }] as const;
    });
    const schema = { $ref: '#/$defs/l0', $defs: { ...Object.fromEntries(levels), l30: text } };
    expect(schemaBoundsProblem(schema)?.message).toMatch(/more than 1000 parts, references included/);
  });

  test('when it has no end', () => {
    const node = { properties: { left: { $ref: '#/$defs/node' }, right: { $ref: '#/$defs/node' } } };
    expect(schemaBoundsProblem({ $ref: '#/$defs/node', $defs: { node } })).toEqual({
      path: ['properties', 'left', '$ref'],
      message: 'A schema must not refer to itself: it would have no end.',
    });
    expect(schemaBoundsProblem({ properties: { a: { $ref: '#' } } })?.message).toMatch(/itself/);
  });

  test('when it refers to what cannot be followed', () => {
    expect(schemaBoundsProblem({ $ref: 'https://example.com/schema' })?.message).toMatch(/by its place in this one/);
  });

  test('and not when a definition is used several times', () => {
    const address = { type: 'object', properties: { street: text } };
    const used = { $ref: '#/$defs/address' };
    expect(schemaBoundsProblem({ properties: { from: used, to: used }, $defs: { address } })).toBeUndefined();
  });
});
