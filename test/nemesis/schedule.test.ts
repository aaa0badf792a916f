import { describe, expect, test } from 'vitest';
import { endOf, faultClasses, manners } from './faults.ts';
import { drawSchedule, schedule } from './schedule.ts';
import { allSeeds, committedSeeds } from './seeds.ts';

describe('a schedule is drawn from a seed', () => {
  test('the same for the same seed, another for another', () => {
    expect(drawSchedule(7)).toEqual(drawSchedule(7));
    expect(drawSchedule(7)).not.toEqual(drawSchedule(8));
  });

  test('no two faults that break the same are there at once, and people talk on after the last one', () => {
    for (const seed of allSeeds) {
      const { faults, talkMs } = drawSchedule(seed);
      for (const [index, fault] of faults.entries()) {
        expect(endOf(fault)).toBeLessThan(talkMs);
        const soMeans = faults
          .slice(0, index)
          .filter((other) => manners[other.class].means === manners[fault.class].means);
        for (const other of soMeans)
          if (fault.class !== 'wrong clock') expect(fault.atMs).toBeGreaterThan(endOf(other));
      }
    }
  });

  test('classes that a story names come in its order', () => {
    const { faults } = schedule(1, ['promotion', 'wrong clock']);
    expect(faults.map((fault) => fault.class)).toEqual(['promotion', 'wrong clock']);
  });
});

describe('the seeds', () => {
  test('forty are committed, among the two hundred', () => {
    expect(new Set(committedSeeds).size).toBe(40);
    expect(allSeeds).toHaveLength(200);
    expect(allSeeds).toEqual(expect.arrayContaining([...committedSeeds]));
  });

  test.each(faultClasses)('"%s" is drawn at least five times among the forty', (name) => {
    const drawn = committedSeeds.filter((seed) => drawSchedule(seed).faults.some((fault) => fault.class === name));
    expect(drawn.length).toBeGreaterThanOrEqual(5);
  });
});
