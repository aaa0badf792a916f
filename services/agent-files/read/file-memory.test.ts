import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { checkFiles } from '../check-files.ts';
import { FileMemory } from './file-memory.ts';

const sound = 'name: Desk\nprompt: Be kind.\nlanguages: [{ code: en, name: English }]\n';
const tool = 'name: find\ndescription: Finds.\nparameters: { type: object }\nclient: true\n';
const scenario = 'scenarios:\n  - name: x\n    turns: [{ say: Hi }]\n';

type Files = Record<string, string>;

/** Changes one after another; each must give with a memory what it gives without. */
const steps: [string, Files, Parameters<typeof checkFiles>[1]?][] = [
  ['a folder', { 'desk.yaml': sound, 'shop.yaml': `${sound}tools: [find]\n`, 'tools/find.yaml': tool }],
  ['a changed agent', { 'desk.yaml': sound.replace('kind', 'brief') }],
  ['a broken agent', { 'desk.yaml': sound.replace('name:', 'nam:') }],
  ['a mended agent', { 'desk.yaml': sound }],
  ['a tool that is used', { 'tools/find.yaml': tool.replace('Finds.', 'Finds it.') }],
  ['a broken tool', { 'tools/find.yaml': 'name: find\n' }],
  ['no tool', { 'tools/find.yaml': '' }],
  ['a tool again', { 'tools/find.yaml': tool }],
  ['knowledge', { 'desk.yaml': `${sound}knowledge: [a.md]\n`, 'knowledge/a.md': 'One' }],
  ['changed knowledge', { 'knowledge/a.md': 'Two' }],
  ['a scenario', { 'scenarios/desk.yaml': scenario }],
  [
    'a scenario that its agent no longer fits',
    { 'scenarios/desk.yaml': scenario.replace('turns', 'language: de\n    turns') },
  ],
  ['an agent that fits it', { 'desk.yaml': sound.replace('}]', '}, { code: de, name: Deutsch }]') }],
  ['a webhook that is switched off', { 'desk.yaml': `${sound}webhook: { url: https://hooks.example.com }\n` }],
  ['the same, in a tenant without webhooks', {}, { webhookEnabled: false }],
  ['the same, in development', {}, { webhookEnabled: false, environment: 'development' }],
  ['a policy', { 'policies.yaml': 'webhookHosts: { hosts: [other.example.com] }\n' }],
  ['an agent that is gone', { 'desk.yaml': '' }],
];

test('whatever changes, a check that remembers gives what one without a memory gives', () => {
  const memory = new FileMemory();
  const files = new Map<string, string>();
  for (const [name, changes, options = {}] of steps) {
    for (const [file, text] of Object.entries(changes)) {
      if (text === '') files.delete(file);
      else files.set(file, text);
    }
    const fresh = checkFiles(files, options);
    const remembered = checkFiles(files, { ...options, memory });
    expect([remembered.agents, remembered.faults], name).toEqual([fresh.agents, fresh.faults]);
    expect(JSON.stringify(remembered.scenarios), name).toBe(JSON.stringify(fresh.scenarios));
  }
});

test('what has not changed is not looked at again, and what is gone is forgotten', () => {
  const memory = new FileMemory();
  const looked: string[] = [];
  const look = (file: string, text: string) => memory.recall(file, [text], () => looked.push(`${file} ${text}`));
  for (const text of ['1', '1', '2']) {
    memory.begin();
    look('a', text);
    look('b', '1');
  }
  memory.begin();
  look('a', '2');
  memory.begin();
  look('b', '1');
  expect(looked).toEqual(['a 1', 'b 1', 'a 2', 'b 1']);
});

test('nothing of an unchanged agent is made anew', () => {
  const files = new Map([
    ['restaurant.yaml', readFileSync('agents/restaurant.yaml', 'utf8')],
    ...['tools/book_table.yaml', 'knowledge/menu.md', 'knowledge/restaurant.md'].map(
      (file) => [file, readFileSync(`agents/${file}`, 'utf8')] as const,
    ),
    ['desk.yaml', sound],
  ]);
  const memory = new FileMemory();
  const [, before] = checkFiles(files, { memory, environment: 'development' }).agents;
  files.set('desk.yaml', sound.replace('kind', 'brief'));
  const [, after] = checkFiles(files, { memory, environment: 'development' }).agents;
  expect(before?.agent.agent).toBe('restaurant');
  expect(after).toBe(before);
});
