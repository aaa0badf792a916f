import { expect, test } from 'vitest';
import { checkFiles } from '../../services/agent-files/check-files.ts';
import type { DeclaredTelephone } from '../../services/contract/declared-telephone.ts';
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

test('numbers and trunks that come, change and go are told, and those that stay are not', () => {
  const trunk = {
    ...{ name: 'carrier', address: 'sip.example.net', transport: 'udp', allowedAddresses: ['203.0.113.16/28'] },
    ...{ allowedPrefixes: [], maxDialsPerMinute: 0, maxCallsPerDay: 0, maxMinutesPerDay: 0 },
  } as const;
  const number = (digits: string, fields: object = {}) =>
    ({ number: `+49301${digits}`, trunk: 'carrier', agent: 'desk', whenRefused: 'busy', ...fields }) as const;
  const weekdays = { zone: 'Europe/Berlin', open: [{ days: ['mon', 'fri'], from: '09:00', to: '17:00' }] } as const;
  const declared = (telephone: object) => described({ telephone: telephone as DeclaredTelephone });
  const before = declared({ trunks: [trunk], numbers: [number('0001'), number('0002'), number('0003')] });
  const after = declared({
    trunks: [{ ...trunk, allowedPrefixes: ['+49', '+43'] }],
    numbers: [number('0001'), number('0002', { language: 'de', hours: weekdays }), number('0004')],
  });
  expect(previewInWords(before, after)).toContain(
    [
      'Telephone:',
      '  trunk carrier, calls out to: nobody → +49, +43',
      '  +493010002, answered by: desk → desk in de',
      '  +493010002, open: always → mon fri 09:00–17:00 (Europe/Berlin)',
      '  +493010004 is new: answered by: desk; open: always; otherwise they hear: busy; trunk: carrier',
      '  +493010003 goes: nobody answers it',
    ].join('\n'),
  );
  expect(previewInWords(before, before)).not.toContain('Telephone');
  // As an up of an earlier release left it.
  expect(previewInWords(described(), declared({ trunks: [trunk], numbers: [] }))).toContain('trunk carrier is new');
});

test('a first preview compares with nothing', () => {
  expect(previewInWords(undefined, described())).toContain('no earlier up that ended well');
});
