import { describe, expect, test } from 'vitest';
import { Deck } from '../support/stand-ins/manners/deck.ts';
import { modelManners } from '../support/stand-ins/manners/model.ts';
import { recognitionManners } from '../support/stand-ins/manners/recognition.ts';
import { synthesisManners } from '../support/stand-ins/manners/synthesis.ts';
import { spokenUtterances } from './spoken.ts';
import { textConversations } from './text.ts';

/** No measure of speed: what hangs is noticed, and `npm run soak -- unkind` holds the silence to 2 s. */
const mostSilentMs = 20_000;

describe('manners are drawn', () => {
  const drawn = (seed: number) => {
    const deck = new Deck(modelManners, seed);
    return Array.from({ length: 3 * modelManners.length }, () => deck.draw().name);
  };

  test('the same for the same seed, another way for another', () => {
    expect(drawn(7)).toEqual(drawn(7));
    expect(drawn(7)).not.toEqual(drawn(8));
  });

  test('each as often as the others, and each says where it was seen', () => {
    for (const { name } of modelManners) expect(drawn(7).filter((other) => other === name)).toHaveLength(3);
    for (const { source } of [...modelManners, ...recognitionManners, ...synthesisManners])
      expect(source).toMatch(/https:\/\//);
  });
});

test('20 written conversations with an unkind model: each text is answered or said to be unanswerable, and no tool runs twice', async () => {
  const result = await textConversations({
    conversations: 20,
    seed: 20_261_122,
    atOnce: 4,
    mostSilentMs,
    timeout: '1s',
  });
  expect(result.faults).toEqual([]);
  expect(result.texts).toBe(60);
  expect(Math.min(...Object.values(result.manners))).toBeGreaterThan(0);
});

test('each manner of recognition and voices once, aloud: each sentence is heard whole, stored once and answered', async () => {
  const utterances = Math.max(recognitionManners.length, synthesisManners.length);
  const plan = { utterances, seed: 20_261_123, atOnce: 4, mostSilentMs, answeredWithinMs: 60_000 };
  const result = await spokenUtterances(plan);
  expect(result.faults).toEqual([]);
  expect(Math.min(...Object.values(result.manners))).toBeGreaterThan(0);
});
