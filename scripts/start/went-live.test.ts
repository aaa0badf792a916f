import { expect, test } from 'vitest';
import { checkFiles } from '../../services/agent-files/check-files.ts';
import { type Live, liveLines } from './went-live.ts';

function live(hash: string, more = ''): Live {
  const text = `name: Desk\nprompt: Be kind.\nlanguages: [{ code: en, name: English${more} }]\n`;
  const [found] = checkFiles(new Map([['desk.yaml', text]])).agents;
  if (!found) throw new Error('no agent');
  return { hash, definition: found.agent };
}

test('an agent that was saved is told with its version and what is different; the others are not', () => {
  const before = new Map([
    ['desk', live('48717dc000')],
    ['other', live('1111111111')],
  ]);
  const now = new Map([
    ['desk', live('99aa77bc11', ', greeting: Hello.')],
    ['other', live('1111111111')],
    ['third', live('2222222222')],
  ]);
  const lines = liveLines(before, now);
  expect(lines).toHaveLength(2);
  expect(lines[0]).toMatch(/^desk 99aa77b\w* is live \(.*languages.*\)\.$/);
  expect(lines[1]).toMatch(/^third 2222222\w* is live \(new\)\.$/);
});
