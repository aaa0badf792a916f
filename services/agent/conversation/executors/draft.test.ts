import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Draft } from '../../../store/tables/messages.ts';
import { KeptDraft } from './draft.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A draft that is looked at when it is kept next; `said` is all that the person was sent. */
function aDraft(before = '') {
  const kept: (Draft | null)[] = [];
  const sent = { said: before };
  const draft = new KeptDraft({
    ...{ turn: Promise.resolve(1), segment: 'seg_1', before },
    told: () => sent.said.length,
    keep: async (_, one) => void kept.push(one),
  });
  const say = (words: string) => {
    draft.add(words);
    sent.said += words;
  };
  const next = async () => {
    await vi.advanceTimersByTimeAsync(300);
    return kept.at(-1);
  };
  return { draft, say, next };
}

test('what is said is kept while it is made, once it has changed', async () => {
  const { draft, say, next } = aDraft();
  say('Once there was ');
  expect(await next()).toEqual({ segment: 'seg_1', content: 'Once there was ', told: 15, complete: false });
  draft.complete();
  expect(await next()).toMatchObject({ complete: true });
  draft.close();
});

test('what was said before a tool stands beside what comes after it, as it has the same name in the room', async () => {
  const { draft, say, next } = aDraft();
  say('Let me look. ');
  await next();
  draft.restart();
  expect(await next()).toBeNull();
  say('It is ');
  const kept = { segment: 'seg_1', before: 'Let me look. ', content: 'It is ', told: 6, complete: false };
  expect(await next()).toEqual(kept);
  draft.close();
});

test('of a former host, too', async () => {
  const { draft, say, next } = aDraft('Let me look. ');
  say('It is ');
  expect(await next()).toMatchObject({ before: 'Let me look. ', content: 'It is ', told: 6 });
  draft.close();
});
