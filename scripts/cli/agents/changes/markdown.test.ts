import { expect, test } from 'vitest';
import { checkFiles } from '../../../../services/agent-files/check-files.ts';
import { changesBetween } from './markdown.ts';

const desk = 'name: Desk\nprompt: |\n  Be kind.\n  Be brief.\nlanguages: [{ code: en, name: English }]\n';
const load = (files: Record<string, string>) => checkFiles(new Map(Object.entries(files)));

test('a changed prompt is shown line by line', () => {
  const after = load({ 'desk.yaml': desk.replace('kind', 'polite') });
  const text = changesBetween(load({ 'desk.yaml': desk }), after);
  expect(text).toMatch(/^\*\*`desk`\*\* changes, `[0-9a-f]{12}` → `[0-9a-f]{12}`\n/);
  expect(text).toContain('  - Be kind.\n');
  expect(text).toContain('  + Be polite.\n');
});

test('agents that come and go, and comments, are told as what they are', () => {
  const before = load({ 'desk.yaml': desk, 'old.yaml': desk });
  const after = load({ 'desk.yaml': `# why\n${desk}`, 'new.yaml': desk });
  const text = changesBetween(before, after);
  expect(text).toContain('**`new`** is new: languages en; tools none.');
  expect(text).toContain('**`old`** is no longer there');
  expect(text).not.toContain('desk');
  expect(changesBetween(before, before)).toBe('No agent behaves differently.');
});

test('what an author writes stays text', () => {
  const nasty = desk.replace('Be kind.', '````\n  @everyone [x](https://example.com)');
  const text = changesBetween(load({ 'desk.yaml': desk }), load({ 'desk.yaml': nasty }));
  expect(text).toContain('`````diff');
});

test('faults are told with their place', () => {
  const text = changesBetween(load({ 'desk.yaml': desk }), load({ 'desk.yaml': `${desk}limit: {}\n` }));
  expect(text).toContain('` desk.yaml:6:1 There is no field "limit". Did you mean "limits"? `');
});
