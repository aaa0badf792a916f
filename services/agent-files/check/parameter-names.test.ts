import { expect, test } from 'vitest';
import { checkFiles } from '../check-files.ts';

const faultsOf = (parameters: string): string[] =>
  checkFiles(
    new Map([
      ['tools/find.yaml', `name: find\ndescription: Finds.\nclient: true\nparameters:\n  type: object\n${parameters}`],
    ]),
  ).faults.map(({ line, column, severity, message }) => `${line}:${column} ${severity} ${message}`);

test('a keyword with a typing mistake checks nothing, and that is told', () => {
  expect(faultsOf('  requierd: [id]\n  properties: { id: { type: string, maxLenght: 5 } }\n')).toEqual([
    '6:3 warning JSON Schema has no "requierd", so it checks nothing. Did you mean "required"?',
    '7:37 warning JSON Schema has no "maxLenght", so it checks nothing. Did you mean "maxLength"?',
  ]);
});

test('keywords of other houses are left alone, and names of properties are no keywords', () => {
  expect(
    faultsOf('  x-note: 1\n  $comment: why\n  properties: { tipe: { type: string, example: a, widget: big } }\n'),
  ).toEqual([]);
});

test('what is required must be among the properties', () => {
  const fields = '  required: [orderID]\n  properties: { orderId: { type: string } }\n';
  expect(faultsOf(fields)).toEqual([
    '6:14 warning "orderID" is required and not among the properties. Did you mean "orderId"?',
  ]);
  expect(faultsOf(`${fields}  additionalProperties: false\n`)[0]).toMatch(/^6:14 error .*so no call is valid/);
});
