import { expect, test } from 'vitest';
import { checkFiles } from '../check-files.ts';
import type { CompiledAgent } from '../definition/compiled.ts';
import { diffAgents, subjectsOf } from './diff.ts';

const agentFile = `
name: Desk
prompt: |
  You are the front desk.
  Be brief.
languages:
  - { code: en, name: English, greeting: Hello., voices: [{ id: amy, name: Amy, default: true }] }
  - { code: de, name: Deutsch, greeting: Hallo., voices: [{ id: ida, name: Ida, default: true }] }
interactionMode: TEXT
model: { provider: scripted }
tools: [end_call, look_up]
limits: { turns: 40 }
script:
  fallback: Sorry?
  rules: [{ when: bye, say: Goodbye., end: true }]
`;
const toolFile = `
name: look_up
description: Looks an order up.
parameters: { type: object, additionalProperties: false, properties: { order: { type: string } }, required: [order] }
timeout: 5s
http: { method: GET, url: 'https://shop.example.com/orders/{{order}}' }
`;

function compiled(agent = agentFile, tool = toolFile): CompiledAgent {
  const { agents, faults } = checkFiles(
    new Map([
      ['desk.yaml', agent],
      ['tools/look_up.yaml', tool],
    ]),
  );
  const [found] = agents;
  if (!found) throw new Error(faults.map(({ message }) => message).join('\n'));
  return found.agent;
}

const told = (before: CompiledAgent, after: CompiledAgent) =>
  diffAgents(before, after).map(({ subject, text }) => `${subject}: ${text}`);

test('equal versions have no difference', () => {
  expect(diffAgents(compiled(), compiled())).toEqual([]);
});

test('a changed prompt is shown line by line, with what it costs', () => {
  const changes = diffAgents(
    compiled(),
    compiled(agentFile.replace('Be brief.', 'Be brief, and friendly to everybody.')),
  );
  expect(subjectsOf(changes)).toBe('prompt, cost');
  expect(changes[0]).toEqual({
    subject: 'prompt',
    text: '1 line removed, 1 added',
    lines: [
      { kind: 'same', text: 'You are the front desk.' },
      { kind: 'removed', text: 'Be brief.' },
      { kind: 'added', text: 'Be brief, and friendly to everybody.' },
    ],
  });
  expect(changes[1]?.text).toMatch(/^about \d+ tokens of instructions in every turn, before \d+ \(\+\d+, \+\d+ %\)$/);
});

test('tools, languages, limits and the model are told in words', () => {
  const after = agentFile
    .replace('tools: [end_call, look_up]', 'tools: [end_call]')
    .replace(/ {2}- \{ code: de.*\n/, '  - { code: fr, name: Français, voices: [] }\n')
    .replace('limits: { turns: 40 }', 'limits: { turns: 60, maxDuration: 5m }')
    .replace('model: { provider: scripted }', 'model: { provider: openai, name: gpt-4.1-mini }');
  const changes = told(compiled(), compiled(after));
  expect(changes).toEqual(
    expect.arrayContaining([
      'tools: tool look_up removed',
      'languages: language de removed',
      'languages: language fr added (Français, 0 voices)',
      'limits: turns: 40 → 60',
      'model: provider: "scripted" → "openai"',
      'model: name is now "gpt-4.1-mini"',
    ]),
  );
  expect(changes.find((text) => text.startsWith('limits: maxDurationMs'))).toMatch(/→ 300 s$/);
});

test('a changed tool is told field by field', () => {
  expect(told(compiled(), compiled(agentFile, toolFile.replace('timeout: 5s', 'timeout: 8s')))).toEqual([
    'tools: tool look_up: timeoutMs: 5 s → 8 s',
  ]);
});

test('an added tool says what it calls', () => {
  const before = compiled(agentFile.replace('[end_call, look_up]', '[end_call]'));
  expect(told(before, compiled())).toContain(
    'tools: tool look_up added (GET https://shop.example.com/orders/{{order}}: Looks an order up.)',
  );
});

test('only another order of tools or languages is told, too', () => {
  expect(told(compiled(), compiled(agentFile.replace('[end_call, look_up]', '[look_up, end_call]')))).toEqual([
    'tools: in another order: look_up, end_call',
  ]);
});

test('a field that this code does not know is told all the same', () => {
  const after = { ...compiled(), novelty: { volume: 11 } } as CompiledAgent;
  expect(told(compiled(), after)).toEqual(['other: novelty.volume is now 11']);
});

test('whatever value is changed, something is told', () => {
  const before = compiled();
  for (const path of leafPaths(before)) {
    const after = structuredClone(before);
    change(after, path);
    expect([path, diffAgents(before, after).length > 0]).toEqual([path, true]);
  }
});

function leafPaths(value: unknown, path: string[] = []): string[][] {
  if (typeof value !== 'object' || value === null) return [path];
  return Object.entries(value).flatMap(([key, part]) => leafPaths(part, [...path, key]));
}

function change(root: object, path: readonly string[]): void {
  let at = root as Record<string, unknown>;
  for (const key of path.slice(0, -1)) at = at[key] as Record<string, unknown>;
  const key = path.at(-1) ?? '';
  const value = at[key];
  if (typeof value === 'number') at[key] = value + 1;
  else at[key] = typeof value === 'boolean' ? !value : `${value} and more`;
}
