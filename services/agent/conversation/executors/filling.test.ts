import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Loaded } from '../loading.ts';
import type { SpeechFact } from '../state/fact.ts';
import { Filling } from './filling.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const afterMs = 1_500;
const begun = { kind: 'time_filler', utterance: 'u', since: 'begun' } as const;
const due: SpeechFact = { kind: 'filler_due', utterance: 'u' };

function fillingOf({ isSpoken = false, isAwaited = true } = {}) {
  const posted: SpeechFact[] = [];
  const definition = {
    filler: { afterMs, say: { en: 'I am at it.', de: 'Ich bin dran.' } },
    speech: { filler: { afterMs, say: { '*': 'One moment.' } } },
  };
  const words: { lastAt: number | undefined } = { lastAt: undefined };
  const filling = new Filling({
    post: (fact) => posted.push(fact),
    loaded: { definition, session: { language: 'de' } } as unknown as Loaded,
    isSpoken: () => isSpoken,
    speaksByItself: () => false,
    isAwaited: () => isAwaited,
    lastWordAt: () => words.lastAt,
  });
  return { filling, posted, words };
}

describe('whoever writes and waits', () => {
  test('reads the line for writing, in the language of the conversation', () => {
    const { filling } = fillingOf();
    expect([filling.line, filling.spokenLine]).toEqual(['Ich bin dran.', 'One moment.']);
    expect(fillingOf({ isSpoken: true }).filling.line).toBe('One moment.');
  });

  test('reads it so long after their turn began', () => {
    const { filling, posted } = fillingOf();
    filling.time(begun);
    vi.advanceTimersByTime(afterMs - 1);
    expect(posted).toEqual([]);
    vi.advanceTimersByTime(2);
    expect(posted).toEqual([due]);
  });

  test('waits as long again after each word that they read', () => {
    const { filling, posted, words } = fillingOf();
    filling.time(begun);
    vi.advanceTimersByTime(1_000);
    words.lastAt = performance.now();
    vi.advanceTimersByTime(1_400);
    expect(posted).toEqual([]);
    vi.advanceTimersByTime(200);
    expect(posted).toEqual([due]);
  });

  test('is not looked at any more once they have their answer', () => {
    const { filling, posted, words } = fillingOf({ isAwaited: false });
    filling.time(begun);
    words.lastAt = performance.now();
    vi.advanceTimersByTime(60_000);
    expect([posted, vi.getTimerCount()]).toEqual([[], 0]);
  });
});
