import { expect, test } from 'vitest';
import { TextIntake } from './text-intake.ts';

function intakeAt(limits: { textsWaiting: number; textsPerMinute: number }) {
  let now = 1_000_000;
  const intake = new TextIntake(limits, () => now);
  return {
    admit: (waiting = 0) => intake.admit(waiting),
    pass: (ms: number) => {
      now += ms;
    },
  };
}

test('so many texts a minute are accepted, then one line is said and the rest is refused in silence', () => {
  const { admit } = intakeAt({ textsWaiting: 10, textsPerMinute: 30 });
  const admissions = Array.from({ length: 34 }, () => admit());
  expect(admissions.slice(0, 30)).toEqual(Array(30).fill('accepted'));
  expect(admissions.slice(30)).toEqual(['refused_with_a_line', ...Array(3).fill('refused_in_silence')]);
});

test('a minute is counted back from now, text by text', () => {
  const { admit, pass } = intakeAt({ textsWaiting: 10, textsPerMinute: 2 });
  expect(admit()).toBe('accepted');
  pass(40_000);
  expect(admit()).toBe('accepted');
  expect(admit()).toBe('refused_with_a_line');
  pass(20_000);
  expect(admit()).toBe('accepted');
  expect(admit()).toBe('refused_with_a_line');
});

test('what was refused does not count: who waits may write again', () => {
  const { admit, pass } = intakeAt({ textsWaiting: 10, textsPerMinute: 2 });
  for (let i = 0; i < 50; i += 1) admit();
  pass(60_000);
  expect([admit(), admit(), admit()]).toEqual(['accepted', 'accepted', 'refused_with_a_line']);
});

test('more texts than may wait are refused until one of them is answered', () => {
  const { admit } = intakeAt({ textsWaiting: 10, textsPerMinute: 600 });
  expect(admit(9)).toBe('accepted');
  expect(admit(10)).toBe('refused_with_a_line');
  expect(admit(11)).toBe('refused_in_silence');
  expect(admit(9)).toBe('accepted');
  expect(admit(10)).toBe('refused_with_a_line');
});
