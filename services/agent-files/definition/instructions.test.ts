import { expect, test } from 'vitest';
import { checkFiles } from '../check-files.ts';
import type { CompiledAgent } from './compiled.ts';
import { renderInstructions } from './instructions.ts';

const source = `name: Desk
prompt: |
  It is {{now}} in {{ timezone }}, that is {{date}}. You write {{language}} over {{channel}}.
timezone: Europe/Berlin
knowledge: [a.md]
languages:
  - { code: en, name: English }
  - { code: de, name: Deutsch }
`;

const agent = checkFiles(
  new Map([
    ['desk.yaml', source],
    ['knowledge/a.md', 'Closed on {{date}}.'],
  ]),
).agents[0]?.agent as CompiledAgent;

/** Half past midnight in Berlin, while it is still the day before in UTC. */
const now = new Date('2026-11-20T23:30:00Z');

test('the variables of the prompt are filled in, where and when the agent is', () => {
  expect(renderInstructions(agent, { now, language: 'de', channel: 'widget' })).toBe(
    [
      'What you know:\n\nClosed on {{date}}.',
      'It is Saturday, 21 November 2026, 00:30 in Europe/Berlin, that is Saturday, 21 November 2026. You write Deutsch over widget.',
      'Answer in Deutsch (de) unless you are asked for another language that you may use.',
    ].join('\n\n'),
  );
});

test("a prompt of the session replaces the agent's and keeps the knowledge", () => {
  const text = renderInstructions(agent, {
    now,
    language: 'en',
    channel: 'api',
    systemPrompt: 'Say {{date}} and {{other}}.',
  });
  expect(text).toMatch(/^Say Saturday, 21 November 2026 and \{\{other\}\}\./);
  expect(text).toContain('Closed on');
  expect(text).not.toContain('It is');
});

test('an agent without knowledge has no heading for it', () => {
  expect(renderInstructions({ ...agent, knowledge: '' }, { now, language: 'en', channel: 'api' })).not.toContain(
    'What you know',
  );
});

test('two sessions have all in common that does not depend on the time', () => {
  const at = (hour: number) => new Date(Date.UTC(2026, 10, 20, hour));
  const [first, second] = [at(9), at(10)].map((when) =>
    renderInstructions({ ...agent, knowledge: 'Long. '.repeat(1_000) }, { now: when, language: 'en', channel: 'api' }),
  ) as [string, string];
  const common = [...first].findIndex((letter, index) => letter !== second[index]);
  expect(common).toBeGreaterThan(6_000);
});

test('a model whose answers are heard is told so, and one whose answers are read is not', () => {
  const values = { now, language: 'en', channel: 'api' } as const;
  expect(renderInstructions(agent, { ...values, isSpoken: true })).toMatch(/You are heard, not read\..*$/);
  expect(renderInstructions(agent, values)).not.toContain('heard');
});

test('what a call is about is filled in by the names that the file declares, and is empty in any other conversation', () => {
  const calls = checkFiles(
    new Map([
      [
        'desk.yaml',
        `name: Desk
prompt: You call {{guest}} about {{table}}.
languages: [{ code: en, name: English }]
phone: { outbound: { variables: { guest: { description: Who. }, table: { description: Which., required: false } } } }
`,
      ],
    ]),
  ).agents[0]?.agent as CompiledAgent;
  const values = { now, language: 'en', channel: 'phone' } as const;
  const called = renderInstructions(calls, { ...values, callVariables: { guest: 'Ada {{table}}', other: 'x' } });
  expect(called).toContain('You call Ada {{table}} about .');
  expect(renderInstructions(calls, { ...values, channel: 'api' })).toContain('You call  about .');
});
