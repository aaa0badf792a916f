import { expect, test } from 'vitest';
import { type Evidence, prove } from './prove/evidence.ts';
import { stepsOf } from './prove/steps.ts';

const steps = stepsOf({ stack: 'proof', database: 'parley-proof', namespace: 'parley-proof', text: 60 });
const withoutFile = steps.map(({ into: _, ...step }) => step);

async function proved(fails: (command: string) => boolean) {
  const kept: Evidence[] = [];
  let clock = 0;
  const evidence = await prove('proof', withoutFile, {
    run: async (command, args) => {
      clock += 1_000;
      const asked = [command, ...args].join(' ');
      return { succeeded: !fails(asked), output: `said by ${asked}`, stdout: '' };
    },
    keep: async (seen) => void kept.push(structuredClone(seen)),
    say: () => undefined,
    now: () => clock,
  });
  return { evidence, kept };
}

test('every step is evidence, with what it said and how long it took', async () => {
  const { evidence, kept } = await proved(() => false);
  expect(evidence.complete).toBe(true);
  expect(evidence.steps).toHaveLength(steps.length);
  expect(evidence.steps[1]).toMatchObject({
    command: expect.stringContaining('pulumi preview'),
    seconds: 1,
    succeeded: true,
  });
  expect(kept.length).toBeGreaterThan(steps.length);
});

test('what had to succeed and did not ends it; what may fail is written down', async () => {
  const { evidence } = await proved((asked) => asked.includes('doctor'));
  expect([evidence.complete, evidence.steps.filter(({ succeeded }) => !succeeded).length]).toEqual([true, 2]);
  const stopped = await proved((asked) => asked.includes('restoreFrom'));
  expect(stopped.evidence.complete).toBe(false);
  expect(stopped.evidence.steps.at(-1)?.command).toContain('restoreFrom');
});

test('everything is taken down in the end, and nothing before it is protected', () => {
  const asked = steps.map(({ args }) => args.join(' '));
  const at = (part: string) => asked.findIndex((args) => args.includes(part));
  expect(at('parley:mayErase')).toBeLessThan(at('destroy --yes'));
  expect(at('parley:aws.deletionProtection')).toBeLessThan(at('restoreFrom'));
  expect(asked.slice(at('destroy --yes') + 1)).toHaveLength(1);
});
