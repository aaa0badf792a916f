import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type FaultClass, faultClasses, needsNodes, type Role, roles } from './faults.ts';
import { type Outcome, runSeed } from './run-seed.ts';
import { type Schedule, schedule } from './schedule.ts';
import { type NemesisWorld, startNemesisWorld } from './world.ts';

const standing = schedule(
  691,
  ['stopped for 3 s', 'promotion', 'FIN swallowed', 'stopped for 15 s', 'wrong clock'],
  true,
);
const cutOff = schedule(
  810,
  [
    'stopped for 40 s',
    ...(['database cut', 'database delayed', 'database half open', 'database out of reach'] as const),
    ...(['room server without network', 'host cut off from the rooms', 'host without network'] as const),
  ],
  true,
);

/** With host 1 standing still, what is drawn for it would be seen by nobody. */
const onWhom: Partial<Record<FaultClass, readonly Role[]>> = {
  'database cut': roles,
  'database half open': roles,
  'database out of reach': ['host 2'],
  'host without network': ['host 2'],
};

/** A story is as long as its faults, and then waits for who vanished to be missed. */
const whatHangsMs = 5 * 60_000;

/** Each class once; those of a story happen in one seed, beside each other where they break different things. */
const stories: readonly Schedule[] = [
  standing,
  { ...cutOff, faults: cutOff.faults.map((fault) => ({ ...fault, targets: onWhom[fault.class] ?? fault.targets })) },
];

describe('while the network, PostgreSQL and clocks fail', () => {
  const outcomes = new Map<Schedule, Promise<Outcome>>();
  let nemesis: NemesisWorld;

  beforeAll(async () => {
    nemesis = await startNemesisWorld();
  }, whatHangsMs);

  afterAll(async () => {
    await nemesis?.[Symbol.asyncDispose]();
  });

  /** The seed is run once for all classes in it, after those before it. */
  const outcomeOf = (name: FaultClass): Promise<Outcome> => {
    const story = stories.find(({ faults }) => faults.some((fault) => fault.class === name)) as Schedule;
    const outcome = outcomes.get(story) ?? runSeed(nemesis, story);
    outcomes.set(story, outcome);
    return outcome;
  };

  test.for(faultClasses)(
    '%s: people are answered, known to be there and billed right; nothing is done twice',
    async (name, { skip }) => {
      skip(needsNodes(name) && !nemesis.places.nodes, 'this machine allows no network namespaces');
      const { faults, violations, history } = await outcomeOf(name);
      expect(faults.map((fault) => fault.class)).toContain(name);
      expect(violations, `${history}\n${nemesis.world.output()}`).toEqual([]);
    },
  );
});
