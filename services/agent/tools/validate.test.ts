import { expect, test } from 'vitest';
import { makeArgumentsCheck } from './validate.ts';

const check = makeArgumentsCheck({
  name: 'book_table',
  parameters: {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    additionalProperties: false,
    required: ['people', 'date'],
    properties: {
      people: { type: 'integer', minimum: 1, maximum: 12 },
      date: { type: 'string', format: 'date' },
      area: { enum: ['inside', 'garden'] },
      guest: { type: 'object', required: ['name'], properties: { name: { type: 'string' } } },
    },
  },
});

test('arguments that fit are answered as they are', () => {
  const args = { people: 4, date: '2026-11-21' };
  expect(check(args)).toEqual({ status: 'ok', output: args });
});

test.for([
  [{ people: 4 }, '"date" is missing'],
  [{ people: '4', date: '2026-11-21' }, '"people" must be integer'],
  [{ people: 40, date: '2026-11-21' }, '"people" must be <= 12'],
  [{ people: 4, date: 'tomorrow' }, '"date" must match format "date"'],
  [{ people: 4, date: '2026-11-21', area: 'roof' }, '"area" must be one of inside, garden'],
  [{ people: 4, date: '2026-11-21', extra: 1 }, '"extra" is not an argument'],
  [{ people: 4, date: '2026-11-21', guest: {} }, '"guest.name" is missing'],
  ['text', 'the whole must be object'],
  [null, 'the whole must be object'],
] as [unknown, string][])('%j is refused with what is wrong', ([args, fault]) => {
  const result = check(args);
  expect(result).toMatchObject({ status: 'failed' });
  expect(result.status === 'ok' ? '' : result.message).toContain(fault);
  expect(result.status === 'ok' ? '' : result.message).toContain('call it again');
});

test('all faults are told at once', () => {
  const result = check({ people: 'x' });
  expect(result.status === 'ok' ? '' : result.message).toMatch(/"date" is missing; "people" must be integer/);
});

test('a tool without declared arguments takes an empty object', () => {
  expect(makeArgumentsCheck({ name: 't', parameters: { type: 'object' } })({})).toMatchObject({ status: 'ok' });
});

const open = (parameters: Record<string, unknown>) => makeArgumentsCheck({ name: 't', parameters });

test('arguments that no property names are refused, unless the schema says otherwise', () => {
  const properties = { id: { type: 'string' } };
  expect(open({ type: 'object', properties })({ id: '1', admin: true })).toMatchObject({
    status: 'failed',
    message: expect.stringContaining('"admin" is not an argument'),
  });
  expect(open({ type: 'object' })({ admin: true })).toMatchObject({ status: 'failed' });
  expect(open({ type: 'object', properties, additionalProperties: true })({ admin: true })).toMatchObject({
    status: 'ok',
  });
  const composed = { type: 'object', anyOf: [{ properties }, { properties: { admin: { type: 'boolean' } } }] };
  expect(open(composed)({ admin: true })).toMatchObject({ status: 'ok' });
});

test.for(['__proto__', 'constructor', 'prototype', 'toString'])('a key that every object has is a key: %s', (key) => {
  const given = JSON.parse(`{"id": "1", "${key}": {"admin": true}}`);
  expect(open({ type: 'object', properties: { id: { type: 'string' } } })(given)).toMatchObject({ status: 'failed' });
});

test('a number that JSON cannot carry is no number', () => {
  const check = open({ type: 'object', properties: { amount: { type: 'number' } } });
  expect(check(JSON.parse('{"amount": 1e999}'))).toMatchObject({ status: 'failed' });
});

const deep = (levels: number): unknown => JSON.parse(`${'['.repeat(levels)}${']'.repeat(levels)}`);

test.for([
  ['too long', { note: 'x'.repeat(40_000) }, /longer than 32768 characters/],
  ['a NUL', { note: 'a\0b' }, /no text/],
  ['half a surrogate pair', { note: 'a\ud800' }, /no text/],
  ['a NUL in a name', { note: { 'a\0b': 1 } }, /no text/],
  ['nested without end', { note: deep(50_000) }, /nested too deeply|longer than/],
] as [string, unknown, RegExp][])('arguments that cannot be written down are refused: %s', ([, args, why]) => {
  const result = open({ type: 'object', properties: { note: {} } })(args);
  expect(result.status === 'ok' ? '' : result.message).toMatch(why);
});

test('what the model is told of its mistakes stays short, whatever it made up', () => {
  const args = Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`${'x'.repeat(500)}${i}`, 1]));
  const result = open({ type: 'object' })(args);
  expect(result.status === 'ok' ? '' : result.message).toMatch(/is not|xxx/);
  expect((result.status === 'ok' ? '' : result.message).length).toBeLessThan(1_500);
});

const hostile = 'a'.repeat(30_000);

test.each([
  [
    'a pattern',
    { properties: { name: { type: 'string', pattern: '^([a-zA-Z]+ ?)+$' } } },
    { name: `${'a'.repeat(27)}!` },
  ],
  ['names of properties', { patternProperties: { '^(a|a)+$': {} } }, { [`${'a'.repeat(40)}!`]: 1 }],
])('a version whose schema has no bounds does not hold the host up: %s', (_what, schema, args) => {
  expect(makeArgumentsCheck({ name: 't', parameters: { type: 'object', ...schema } })(args)).toEqual({
    status: 'failed',
    message: 't is not set up rightly and cannot be used now.',
  });
});

test('a pattern is not looked for in a text that is longer than its bounds hold for', () => {
  const given = open({ type: 'object', properties: { name: { type: 'string', pattern: '^[a-z]+$' } } });
  expect(given({ name: 'a'.repeat(1_000) })).toMatchObject({ status: 'ok' });
  expect(given({ name: hostile })).toMatchObject({
    status: 'failed',
    message: expect.stringContaining('must match pattern'),
  });
});

test('a list that is longer than anybody says is refused before its items are compared', () => {
  const given = open({ type: 'object', properties: { all: { type: 'array', uniqueItems: true } } });
  const items = (length: number) => ({ all: Array.from({ length }, (_, index) => ({ n: index })) });
  expect(given(items(1_000))).toMatchObject({ status: 'ok' });
  expect(given(items(1_001))).toMatchObject({ message: expect.stringContaining('a list has more than 1000 items') });
});
