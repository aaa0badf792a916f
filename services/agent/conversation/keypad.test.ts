import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { Keypad } from './keypad.ts';

const typed: string[] = [];
let keypad: Keypad;

beforeEach(() => {
  vi.useFakeTimers();
  typed.length = 0;
  keypad = new Keypad(({ text }) => typed.push(text));
});

afterEach(() => {
  vi.useRealTimers();
});

const press = (keys: string) => {
  for (const key of keys) keypad.press(key);
};

test('keys that follow each other are one number, which a pause ends', () => {
  press('12');
  vi.advanceTimersByTime(1_900);
  press('34');
  expect(typed).toEqual([]);
  vi.advanceTimersByTime(2_000);
  expect(typed).toEqual(['1234']);
});

test('# ends it at once, and what follows is another', () => {
  press('12#3#');
  expect(typed).toEqual(['12#', '3#']);
});

test('a key that is held down is told in pieces', () => {
  press('9'.repeat(130));
  expect(typed.map((keys) => keys.length)).toEqual([64, 64]);
});

describe('while a tool waits for digits', () => {
  const wanted = { digits: 4, end: '#', timeoutMs: 5_000 } as const;
  const never = new AbortController().signal;

  test('they are the tool’s, as many as it wants, and what follows is heard again', async () => {
    const digits = keypad.collect(wanted, never);
    press('12*34');
    expect(await digits).toBe('1234');
    press('5#');
    expect(typed).toEqual(['5#']);
  });

  test('a key ends it before, which is no part of them', async () => {
    const digits = keypad.collect(wanted, never);
    press('12#');
    expect(await digits).toBe('12');
    expect(typed).toEqual([]);
  });

  test('time ends it, and so does whoever gives the tool up', async () => {
    const late = keypad.collect(wanted, never);
    press('1');
    vi.advanceTimersByTime(5_000);
    expect(await late).toBe('1');
    const givingUp = new AbortController();
    const givenUp = keypad.collect(wanted, givingUp.signal);
    givingUp.abort();
    expect(await givenUp).toBe('');
  });

  test('what was typed before it asked is not taken for them', async () => {
    press('9');
    const digits = keypad.collect(wanted, never);
    press('1234');
    expect(await digits).toBe('1234');
  });
});
