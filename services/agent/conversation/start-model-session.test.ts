import { expect, test } from 'vitest';
import type { CompiledAgent } from '../../agent-files/definition/compiled.ts';
import type { SessionRow } from '../../store/tables/sessions.ts';
import { instructionsOf } from './start-model-session.ts';

const session = { language: 'en', channel: 'api', prompt_override: null } as SessionRow;

test('instructions are made once for who reads the answers and once for who hears them, and no more with every answer', () => {
  let made = 0;
  const definition = {
    get prompt() {
      made += 1;
      return 'You are the front desk.';
    },
    knowledge: '',
    timezone: 'UTC',
    languages: [{ code: 'en', name: 'English' }],
  } as CompiledAgent;
  const instructions = instructionsOf({ definition, session }, new Date('2026-11-23T10:00:00Z'));
  const [read, heard] = [instructions(false), instructions(true)];
  expect(read).toMatch(/^You are the front desk\./);
  expect(heard).toMatch(/You are heard, not read\./);
  expect([instructions(false), instructions(true)]).toEqual([read, heard]);
  expect(made).toBe(2);
});
