import { expect, test } from 'vitest';
import { agentVariablesIn, variablesForAgents } from './agent-variables.ts';

const all = { PARLEY_MASTER_KEYS: 'k1:…', OPENAI_API_KEY: 'sk', CRM_TOKEN: 'crm', GIT_TOKEN: 'git' };

test('tools find what the operator declares, and providers their own keys beside it', () => {
  expect(variablesForAgents(['CRM_TOKEN', 'NOT_SET'], all)).toEqual({
    declared: { CRM_TOKEN: 'crm' },
    ofProviders: { CRM_TOKEN: 'crm', OPENAI_API_KEY: 'sk' },
  });
});

test('what belongs to the installation is nobody else’s, declared or not', () => {
  expect(variablesForAgents(['PARLEY_MASTER_KEYS'], all).declared).toEqual({});
  expect(agentVariablesIn({ ...all, PARLEY_AGENT_VARIABLES: 'CRM_TOKEN, GIT_TOKEN' }).declared).toEqual({
    CRM_TOKEN: 'crm',
    GIT_TOKEN: 'git',
  });
});
