import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Reminders } from './reminders.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function reminders(leftMs = 600_000) {
  const said: string[] = [];
  const it = new Reminders({
    idlePrompt: { afterMs: 5_000, times: 2, line: () => 'Are you there?' },
    ending: { leftMs, line: () => 'The time is nearly up.' },
    say: (line) => {
      said.push(line);
      it.quiet();
    },
  });
  return { it, said };
}

test('a silent person is asked as often as the agent says, and no more', () => {
  const { it, said } = reminders();
  it.quiet();
  vi.advanceTimersByTime(60_000);
  expect(said).toEqual(['Are you there?', 'Are you there?']);
});

test('a person who has answered is asked again after another silence; noise is no answer', () => {
  const { it, said } = reminders();
  it.quiet();
  vi.advanceTimersByTime(60_000);
  it.busy();
  it.quiet();
  vi.advanceTimersByTime(60_000);
  expect(said).toHaveLength(2);
  it.answered();
  it.quiet();
  vi.advanceTimersByTime(6_000);
  expect(said).toHaveLength(3);
});

test('sounds without words do not put off the question', () => {
  const { it, said } = reminders();
  it.quiet();
  for (let sound = 0; sound < 4; sound += 1) {
    vi.advanceTimersByTime(1_000);
    it.busy();
    vi.advanceTimersByTime(500);
    it.stillQuiet();
  }
  expect(said).toEqual(['Are you there?']);
});

test('nobody is asked while somebody speaks, or when the conversation is over', () => {
  const { it, said } = reminders();
  it.quiet();
  it.busy();
  vi.advanceTimersByTime(60_000);
  it.quiet();
  it.close();
  vi.advanceTimersByTime(1_000_000);
  expect(said).toEqual([]);
});

test('the end is announced before it comes, in a short call later', () => {
  const long = reminders(600_000);
  vi.advanceTimersByTime(579_000);
  expect(long.said).toEqual([]);
  vi.advanceTimersByTime(1_500);
  expect(long.said).toEqual(['The time is nearly up.']);
  const short = reminders(8_000);
  vi.advanceTimersByTime(6_500);
  expect(short.said).toEqual(['The time is nearly up.']);
});
