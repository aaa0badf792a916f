import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { checkFiles } from '../../../agent-files/check-files.ts';
import type { ConversationItem } from './conversation.ts';
import { nextStep } from './engine.ts';

const page = await readFile(new URL('../../../../docs/write-agents/an-agents-file.md', import.meta.url), 'utf8');
const [, yaml = ''] = /```yaml\n([\s\S]*?)```/.exec(page) ?? [];
const tool = `
name: book_repair
description: Books a repair.
parameters:
  type: object
  required: [bike, day]
  properties: { bike: { type: string }, day: { type: string } }
http: { method: POST, url: https://shop.example.com/repairs }
`;

const checked = checkFiles(
  new Map([
    ['bike-shop.yaml', yaml],
    ['tools/book_repair.yaml', tool],
  ]),
);

/** What the agent does after all of this was said, in turns. */
function conversation(language: string) {
  const items: ConversationItem[] = [];
  const script = checked.agents[0]?.agent.script;
  if (!script) throw new Error('the page has no script any more');
  return {
    says: (text: string) => {
      items.push({ role: 'user', text });
      const step = nextStep(script, items, language);
      if ('call' in step) items.push(step);
      else items.push({ role: 'assistant', text: step.say });
      return step;
    },
    answers: (result: { ok: boolean; output: unknown }) => {
      items.push({ result });
      return nextStep(script, items, language);
    },
  };
}

test('the agent that the page goes through is a valid one', () => {
  expect(checked.faults).toEqual([]);
});

test('it asks for what it was not told, calls the tool, and tells its answer', () => {
  const { says, answers } = conversation('en');
  expect(says('What does it cost?')).toEqual({ say: 'A repair costs 40 euros. Shall I book one?' });
  expect(says('Yes please')).toEqual({ say: 'Then tell me: what is broken?' });
  expect(says('My road bike is broken')).toEqual({ say: 'On which day will you bring it?' });
  expect(says('on Friday')).toEqual({
    call: { tool: 'book_repair', arguments: { bike: 'road', day: 'Friday' } },
  });
  expect(answers({ ok: true, output: '{"reference": "R-17"}' })).toEqual({
    say: 'Booked for Friday. Your number is R-17.',
  });
});

test('what fails, and what it does not understand, it says in the language of the session', () => {
  const { says, answers } = conversation('de');
  expect(says('Mein Rennrad ist kaputt, geht Montag?')).toMatchObject({ call: { tool: 'book_repair' } });
  expect(answers({ ok: false, output: 'The shop is closed.' })).toMatchObject({
    say: expect.stringContaining('Montag ging nicht'),
  });
  expect(conversation('de').says('Wie wird das Wetter?')).toMatchObject({
    say: expect.stringContaining('Reparatur eintragen'),
  });
});
