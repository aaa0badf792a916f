import { expect, test } from 'vitest';
import { abilitiesElsewhere } from '../../agent-files/builtin-tools/registry.ts';
import type { Transferred } from '../../agent-files/builtin-tools/transfer.ts';
import { runBuiltin } from './builtins.ts';
import { nothingToAdd, ToolFailure } from './tool-guard.ts';

function conversation({ spoke = false, transferred = 'not_here' as Transferred, isCalling = true } = {}) {
  const done: string[] = [];
  return {
    done,
    parts: {
      ...abilitiesElsewhere,
      spoke: () => spoke,
      endAfterTurn: () => void done.push('ended'),
      switchLanguage: async (code: string) => {
        done.push(`language ${code}`);
        return 'Deutsch';
      },
      transfer: async (destination: string) => {
        done.push(`transfer ${destination}`);
        return transferred;
      },
      leaveMessage: async () => isCalling,
      pressKeys: async (keys: string) => {
        done.push(`keys ${keys}`);
        return true;
      },
    },
  };
}

test('a transfer is refused honestly while there is nobody to hand a conversation to, and is never an outcome', async () => {
  const { parts, done } = conversation();
  const refused = await runBuiltin('transfer', { reason: 'angry' }, parts).catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(ToolFailure);
  expect((refused as ToolFailure).message).toMatch(/^Nobody can be reached/);
  expect(done).toEqual([]);
});

test('who was put through has nothing more to hear, and the conversation ends', async () => {
  const { parts, done } = conversation({ transferred: 'answered' });
  expect(await runBuiltin('transfer', { to: 'reception' }, parts)).toBe(nothingToAdd);
  expect(done).toEqual(['transfer reception', 'ended']);
});

test.each([
  ['busy', /busy.*still on the line/],
  ['no_answer', /Nobody answered.*still on the line/],
  ['refused', /refused.*still on the line/],
  ['unknown', /not known/],
] as const)('a transfer that is %s is told to the model, and the conversation goes on', async (transferred, told) => {
  const { parts, done } = conversation({ transferred });
  await expect(runBuiltin('transfer', { to: 'reception' }, parts)).rejects.toThrow(told);
  expect(done).toEqual(['transfer reception']);
});

test.each([
  ['busy', 'failed'],
  ['unknown', 'unknown'],
] as const)('a transfer that is %s is written down as %s', async (transferred, status) => {
  const { parts } = conversation({ transferred });
  const refused = await runBuiltin('transfer', { to: 'reception' }, parts).catch((error: unknown) => error);
  expect(refused).toMatchObject({ miss: { status } });
});

test('a machine that answers a call of ours is the end of it; on any other call it is none', async () => {
  const { parts, done } = conversation();
  expect(await runBuiltin('answering_machine', {}, parts)).toBe(nothingToAdd);
  expect(done).toEqual(['ended']);
  const called = conversation({ isCalling: false });
  await expect(runBuiltin('answering_machine', {}, called.parts)).rejects.toThrow(/not calling anybody/);
  expect(called.done).toEqual([]);
});

test('the end comes after the turn, and needs no word when one was said', async () => {
  const silent = conversation();
  expect(await runBuiltin('end_call', {}, silent.parts)).toMatch(/Say goodbye/);
  const talking = conversation({ spoke: true });
  expect(await runBuiltin('end_call', {}, talking.parts)).toBe(nothingToAdd);
  expect([silent.done, talking.done]).toEqual([['ended'], ['ended']]);
});

test('a language is switched, and a note needs nothing but its call', async () => {
  const { parts, done } = conversation();
  expect(await runBuiltin('switch_language', { language: 'de' }, parts)).toBe('From now on answer in Deutsch.');
  expect(await runBuiltin('collect', { guests: 4 }, parts)).toBe('Noted.');
  expect(done).toEqual(['language de']);
});
