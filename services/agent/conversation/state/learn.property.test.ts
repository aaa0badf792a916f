import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Happening, type Life, SimulatedConversation } from './simulated-conversation.ts';
import { SimulatedSession } from './simulated-session.ts';

/** What can befall a conversation, in any order. */
const happening = fc.oneof(
  { weight: 6, arbitrary: fc.constant('write' as const) },
  { weight: 4, arbitrary: fc.constant('speak' as const) },
  { weight: 8, arbitrary: fc.constant('proceed' as const) },
  { weight: 2, arbitrary: fc.constant('make a sound' as const) },
  { weight: 2, arbitrary: fc.constant('press interrupt' as const) },
  { weight: 2, arbitrary: fc.constant('lose the room' as const) },
  { weight: 2, arbitrary: fc.constant('have the room back' as const) },
  { weight: 2, arbitrary: fc.constant('call a tool' as const) },
  { weight: 1, arbitrary: fc.constant('say goodbye' as const) },
  { weight: 1, arbitrary: fc.constant('fail' as const) },
  { weight: 1, arbitrary: fc.constant('take a microphone' as const) },
  { weight: 1, arbitrary: fc.constant('want to write' as const) },
  { weight: 1, arbitrary: fc.constant('want to speak' as const) },
  { weight: 1, arbitrary: fc.constant('hand over' as const) },
  { weight: 1, arbitrary: fc.constant('lose patience' as const) },
  { weight: 1, arbitrary: fc.constant('end' as const) },
  { weight: 1, arbitrary: fc.constant('be taken over' as const) },
  { weight: 1, arbitrary: fc.constant('reach a cap' as const) },
  { weight: 1, arbitrary: fc.constant('run out of time' as const) },
);

const happenings = fc.array(fc.record({ what: happening, which: fc.nat({ max: 7 }) }), { maxLength: 60 });
const beginnings = fc.record({
  isSpoken: fc.boolean(),
  mostTurns: fc.integer({ min: 1, max: 40 }),
  placeLapsed: fc.boolean(),
  hasRoom: fc.boolean(),
});

/** Runs the history, then lets everything come to its end. */
function live(beginning: Life, history: { what: Happening; which: number }[]) {
  const it = new SimulatedConversation(beginning);
  for (const { what, which } of history) it.happen(what, which);
  it.settle();
  return it;
}

describe('whatever happens in whatever order', () => {
  const holds = (property: (it: SimulatedConversation) => void) =>
    fc.assert(
      fc.property(beginnings, happenings, (beginning, history) => property(live(beginning, history))),
      { numRuns: 2_000 },
    );

  test('every text is taken in, once, in its order, and answered as long as the conversation is ours', () => {
    holds((it) => {
      expect(it.takenIn).toEqual(it.said);
      if (it.state.phase === 'open') expect(it.settledTexts).toEqual(it.said);
      expect(new Set(it.settledTexts).size).toBe(it.settledTexts.length);
      // In their order, none skipped.
      expect(it.settledTexts).toEqual(it.said.filter((text) => it.settledTexts.includes(text)));
    });
  });

  test('one turn at a time, and each that begins is closed once', () => {
    holds((it) => {
      expect(it.mostTurnsAtOnce).toBeLessThanOrEqual(1);
      expect(it.closed).toEqual(it.begun);
    });
  });

  test('nothing is begun to be said after the end, and the host leaves once', () => {
    holds((it) => {
      expect(it.saidAfterTheEnd).toEqual([]);
      expect(it.leaves).toBeLessThanOrEqual(1);
      expect(it.state.phase === 'over').toBe(it.leaves === 1);
    });
  });

  test('the agent does not hold its breath for ever, and nothing stays open', () => {
    holds((it) => {
      if (it.state.phase === 'open') expect(it.isHeld).toBe(false);
      expect(it.state.open.size).toBe(0);
      expect(it.state.cut).toBeUndefined();
      expect(['idle', 'leaving']).toContain(it.state.activity.kind);
    });
  });

  test('the silence after what a person said is filled once at most', () => {
    holds((it) => {
      expect(it.filled).not.toContain('nobody waited');
      expect(new Set(it.filled).size).toBe(it.filled.length);
    });
  });

  test('no turn begins while the conversation is given away', () => {
    holds((it) => {
      expect(it.begunWhileHandingOver).toBe(0);
    });
  });

  test('what is said to somebody who wants to read is shown, and to somebody who speaks is heard', () => {
    holds((it) => {
      const { isSpoken, wanted, isGranted, microphones } = it.state.mode;
      if (it.state.phase !== 'open') return;
      if (wanted === 'TEXT') expect(isSpoken).toBe(false);
      else if (isGranted && microphones.size > 0) expect(isSpoken).toBe(true);
    });
  });
});

describe('whatever happens in whatever order, and whoever dies or comes back meanwhile', () => {
  /** Mostly what tools and hosts do; the rest of a conversation around it. */
  const befalling = fc.oneof(
    { weight: 4, arbitrary: fc.constant('write' as const) },
    { weight: 8, arbitrary: fc.constant('call a tool' as const) },
    { weight: 8, arbitrary: fc.constant('proceed' as const) },
    { weight: 2, arbitrary: fc.constant('be replaced' as const) },
    { weight: 2, arbitrary: happening },
  );
  const histories = fc.array(fc.record({ what: befalling, which: fc.nat({ max: 7 }) }), {
    minLength: 20,
    maxLength: 80,
  });

  test('no tool does twice what a text asked for, and nobody is left in doubt for ever what a call came to', async () => {
    let calls = 0;
    await fc.assert(
      fc.asyncProperty(beginnings, histories, async (beginning, history) => {
        const it = await SimulatedSession.begin(beginning);
        for (const { what, which } of history) await it.happen(what, which);
        await it.settle();
        expect(it.done.filter((times) => times > 1)).toEqual([]);
        await it.happen('be replaced', 0);
        expect(it.toolCalls.filter(({ status }) => status === 'started')).toEqual([]);
        expect(it.done.filter((times) => times > 1)).toEqual([]);
        calls += it.toolCalls.length;
      }),
      { numRuns: 2_000 },
    );
    // Without calls this would prove nothing.
    expect(calls).toBeGreaterThan(500);
  });
});
