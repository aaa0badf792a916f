import { expect, test } from 'vitest';
import { checkFiles } from '../../services/agent-files/check-files.ts';
import { changedBy, type Part } from './part.ts';
import { type Described, previewInWords } from './words.ts';

const desk = 'name: Desk\nprompt: |\n  Be kind.\n  Be brief.\nlanguages: [{ code: en, name: English }]\n';
const agentsIn = (files: Record<string, string>) => checkFiles(new Map(Object.entries(files))).agents;

const api = (image: string): Part => ({
  name: 'api',
  what: 'the API',
  replicas: 2,
  load: { kind: 'requests' },
  from: changedBy('rolls', { image }),
});

const described = (fields: Partial<Described> = {}): Described => ({
  parts: [api('one')],
  agents: agentsIn({ 'desk.yaml': desk }),
  monthlyUsd: 100,
  ...fields,
});

test('two changed lines of a prompt are four lines in words, and nothing is said of what stays', () => {
  const after = described({ agents: agentsIn({ 'desk.yaml': desk.replace('kind', 'polite') }) });
  const text = previewInWords(described(), after);
  expect(text).toContain('  desk behaves differently:');
  expect(text).toContain('1 line removed, 1 added');
  expect(text).toMatch(/^ +- Be kind\.$/m);
  expect(text).toMatch(/^ +\+ Be polite\.$/m);
  expect(text).toContain('Nothing that runs is restarted or replaced.');
  expect(text.split('\n').length).toBeLessThan(16);
});

test('agents that come and go are told', () => {
  const text = previewInWords(described(), described({ agents: agentsIn({ 'new.yaml': desk }) }));
  expect(text).toContain('desk is switched off');
  expect(text).toContain('new is new');
});

test('a text that is another one from end to end is cut', () => {
  const lines = (word: string) => Array.from({ length: 200 }, (_, index) => `  ${word} ${index}.\n`).join('');
  const agent = (word: string) => desk.replace('  Be kind.\n', lines(word));
  const text = previewInWords(
    described({ agents: agentsIn({ 'desk.yaml': agent('Be') }) }),
    described({ agents: agentsIn({ 'desk.yaml': agent('Do') }) }),
  );
  expect(text).toMatch(/… \d+ lines more\./);
  expect(text.split('\n').length).toBeLessThan(50);
});

test('what restarts, who is cut and what it costs are told', () => {
  const text = previewInWords(described(), described({ parts: [api('two')], monthlyUsd: 120 }));
  expect(text).toBe(
    [
      'No agent of this stack behaves differently.',
      'Nobody is cut:',
      '  the API (image): rolls; nobody is cut: a new one answers before an old one goes.',
      'It costs about 120.00 USD a month while nobody talks, before 100.00.',
    ].join('\n'),
  );
});

test('a first preview compares with nothing', () => {
  expect(previewInWords(undefined, described())).toContain('no earlier up that ended well');
});
