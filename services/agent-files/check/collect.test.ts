import { expect, test } from 'vitest';
import { checkFiles } from '../check-files.ts';

const desk = (more: string) =>
  checkFiles(
    new Map([['desk.yaml', `name: Desk\nprompt: Be kind.\nlanguages: [{ code: en, name: English }]\n${more}`]]),
  );
const faultsOf = (more: string) =>
  desk(more).faults.map(({ line, column, severity, message }) => `${line}:${column} ${severity} ${message}`);
const collectTool = (more: string) => desk(more).agents[0]?.agent.tools.find(({ builtin }) => builtin === 'collect');

test('fields become the parameters of collect, with the bounds that they name', () => {
  const fields =
    'collect:\n  guests: { type: integer, minimum: 1, description: How many. }\n  area: { enum: [inside], description: Where. }\n';
  expect(collectTool(`tools: [collect]\n${fields}`)).toMatchObject({
    idempotent: true,
    parameters: {
      additionalProperties: false,
      minProperties: 1,
      properties: {
        guests: { type: 'integer', minimum: 1, description: 'How many.' },
        area: { type: 'string', enum: ['inside'], description: 'Where.', maxLength: 500 },
      },
    },
  });
});

test('without fields collect notes whatever the model finds worth noting', () => {
  expect(collectTool('tools: [collect]\n')?.parameters).toMatchObject({ required: ['field', 'value'] });
});

test.for([
  ['collect: { name: { description: Who. } }', '4:1 warning Nothing will be noted: add collect to "tools".'],
  [
    'tools: [collect]\ncollect: { name: { description: Who., minimum: 1 } }',
    '5:39 error "minimum" is not for a field of type string: change the type or leave it out.',
  ],
  [
    'tools: [collect]\ncollect: { ok: { description: Yes?, type: boolean, enum: [a] } }',
    '5:52 error "enum" is not for a field of type boolean: change the type or leave it out.',
  ],
  [
    'tools: [collect]\ncollect: { n: { description: N, type: number, minimum: 3, maximum: 2 } }',
    '5:56 error "minimum" (3) must not be above "maximum" (2).',
  ],
  ['tools: [collect]\ncollect: { Name: { description: Who. } }', expect.stringMatching(/^5:12 error .*"Name"/)],
  ['tools: [collect]\ncollect: { name: {} }', expect.stringMatching(/error The field "description" is missing/)],
] as [string, string][])('%s is a finding', ([more, fault]) => {
  expect(faultsOf(`${more}\n`)).toEqual([fault]);
});
