import { describe, expect, test } from 'vitest';
import { checkVariables } from './variables.ts';

const tool = (name: string) => ({ http: { url: 'https://crm.example.com/', headers: { 'X-Key': { env: name } } } });
const path = ['http', 'headers', 'X-Key', 'env'];

test('a variable of the installation is refused also where nobody knows what is declared, as in a pipeline, and nobody is sent to the operator for it', () => {
  const message =
    'The variable PARLEY_MASTER_KEYS belongs to the installation, and agents may not refer to it. Use a name of your own, such as CRM_TOKEN.';
  const findings = checkVariables(tool('PARLEY_MASTER_KEYS'), undefined);
  expect(findings).toEqual([{ path, rule: 'variable-undeclared', message }]);
  expect(checkVariables(tool('PARLEY_MASTER_KEYS'), ['CRM_TOKEN'])).toEqual(findings);
});

describe('another variable', () => {
  test('is not asked for where nobody knows what is declared', () => {
    expect(checkVariables(tool('CRM_TOKEN'), undefined)).toEqual([]);
  });

  test('has to be among those that are declared, and a near one is named', () => {
    expect(checkVariables(tool('CRM_TOKEN'), ['CRM_TOKEN'])).toEqual([]);
    const [finding] = checkVariables(tool('CRM_TOKN'), ['CRM_TOKEN']);
    expect(finding).toMatchObject({ path, rule: 'variable-undeclared' });
    expect(finding?.message).toMatch(/^The variable CRM_TOKN is not declared .* Did you mean CRM_TOKEN\?$/);
  });

  test('is none when a parameter of the author’s own bears the name', () => {
    expect(checkVariables({ parameters: { env: 'PARLEY_MASTER_KEYS' } }, undefined)).toEqual([]);
  });
});
