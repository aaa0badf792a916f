import { afterEach, beforeEach, expect, test, vi } from 'vitest';
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
