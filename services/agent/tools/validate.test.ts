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
  expect(check(args)).toEqual({ ok: true, output: args });
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
  expect(result).toMatchObject({ ok: false });
  expect(result.ok ? '' : result.message).toContain(fault);
  expect(result.ok ? '' : result.message).toContain('call it again');
});

test('all faults are told at once', () => {
  const result = check({ people: 'x' });
  expect(result.ok ? '' : result.message).toMatch(/"date" is missing; "people" must be integer/);
});

test('a tool without declared arguments takes an empty object', () => {
  expect(makeArgumentsCheck({ name: 't', parameters: { type: 'object' } })({})).toMatchObject({ ok: true });
});
