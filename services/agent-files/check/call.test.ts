import { expect, test } from 'vitest';
import { checkFiles } from '../check-files.ts';

const tool = `name: book
description: Books a table.
parameters:
  type: object
  required: [guests, day]
  properties:
    guests: { type: integer, minimum: 1, maximum: 12 }
    day: { type: string, format: date }
    area: { enum: [inside, garden] }
    note: { anyOf: [{ type: string, maxLength: 5 }, { type: 'null' }] }
    contact: { type: object, required: [mail], properties: { mail: { type: string } } }
    tags: { type: array, maxItems: 2, items: { type: string, maxLength: 3 } }
http: { method: POST, url: https://example.com/tables }
`;

const agent = (call: string, more = '') => `name: Desk
prompt: Be kind.
languages: [{ code: en, name: English }]
tools: [book, end_call, switch_language, collect]
script:
  fallback: What?
  rules:
    - { name: a, when: "(?<x>.*)", say: hi,
        call: ${call} }
${more}`;

const faultsOf = (call: string, { more, file = tool }: { more?: string; file?: string } = {}): string[] =>
  checkFiles(
    new Map([
      ['desk.yaml', agent(call, more)],
      ['tools/book.yaml', file],
    ]),
  ).faults.map(({ file: name, line, column, rule, message }) => `${name}:${line}:${column} ${rule} ${message}`);

const at = (column: number, message: string) => `desk.yaml:9:${column} rule-arguments ${message}`;

test('a call that fits, or may fit once its placeholders are filled in, has no fault', () => {
  expect(faultsOf('{ tool: book, arguments: { guests: 4, day: "2026-11-24", area: garden, note: null } }')).toEqual([]);
  expect(
    faultsOf(
      '{ tool: book, arguments: { guests: "{{x}}", day: "{{x}}", area: "{{x}}", note: "for {{x}}", tags: ["{{x}}", b] } }',
    ),
  ).toEqual([]);
  expect(faultsOf('{ tool: end_call }')).toEqual([]);
});

test.each([
  [
    '{ tool: book, arguments: { gests: 4, guests: 4, day: "{{x}}" } }',
    [at(42, 'book has no parameter "gests". Did you mean "guests"?')],
  ],
  ['{ tool: book, arguments: { guests: "{{x}}" } }', [at(29, 'book needs "day": add it to "arguments".')]],
  [
    '{ tool: book }',
    [at(9, 'book needs "guests": add it to "arguments".'), at(9, 'book needs "day": add it to "arguments".')],
  ],
  [
    '{ tool: book, arguments: { guests: 40, day: "{{x}}" } }',
    [at(50, 'book would refuse this: "guests" must be <= 12.')],
  ],
  [
    '{ tool: book, arguments: { guests: four, day: tomorrow } }',
    [
      at(50, 'book would refuse this: "guests" must be integer.'),
      at(61, 'book would refuse this: "day" must match format "date".'),
    ],
  ],
  [
    '{ tool: book, arguments: { guests: "for {{x}}", day: "{{x}}" } }',
    [at(50, 'book would refuse this: "guests" must be integer.')],
  ],
  [
    '{ tool: book, arguments: { guests: 4, day: "{{x}}", area: roof } }',
    [at(73, 'book would refuse this: "area" must be one of inside, garden.')],
  ],
  [
    '{ tool: book, arguments: { guests: 4, day: "{{x}}", contact: { phone: "{{x}}" } } }',
    [at(67, 'book needs "contact.mail": add it to "arguments".')],
  ],
  [
    '{ tool: book, arguments: { guests: 4, day: "{{x}}", note: too long } }',
    [at(73, 'book would refuse this: "note" must match a schema in anyOf.')],
  ],
  [
    '{ tool: switch_language, arguments: { language: de } }',
    [at(63, 'switch_language would refuse this: "language" must be one of en.')],
  ],
])('a call that would be refused is told with its place: %s', (call, faults) => {
  expect(faultsOf(call).toSorted()).toEqual(faults.toSorted());
});

test('what collect takes is what the agent declares', () => {
  const more = 'collect:\n  guests: { type: integer, description: How many. }\n';
  expect(faultsOf('{ tool: collect, arguments: { guests: "{{x}}" } }', { more })).toEqual([]);
  expect(faultsOf('{ tool: collect, arguments: { guest: 4 } }', { more })).toEqual([
    at(45, 'collect has no parameter "guest". Did you mean "guests"?'),
  ]);
});

test('the faults of a tool are told where they stand, not at every call', () => {
  const file = tool.replace('type: object', 'type: objekt');
  const faults = faultsOf('{ tool: book, arguments: { gests: 4 } }', { file });
  expect(faults.length).toBeGreaterThan(0);
  expect(faults.filter((fault) => !fault.startsWith('tools/book.yaml'))).toEqual([]);
});

test('a schema that is open takes what it does not name', () => {
  const file = tool.replace('  required:', '  additionalProperties: true\n  required:');
  expect(faultsOf('{ tool: book, arguments: { guests: 4, day: "{{x}}", extra: 1 } }', { file })).toEqual([]);
});
