import { once } from 'node:events';
import { MessageChannel } from 'node:worker_threads';
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
  // A moment more: what has arrived is read first.
  vi.advanceTimersByTime(2_001);
  expect(typed).toEqual(['1234']);
});

test('# ends it at once, and what follows is another', () => {
  press('12#3#');
  expect(typed).toEqual(['12#', '3#']);
});

test('what was pressed while the process stood still is one number, too', async () => {
  vi.useRealTimers();
  const { port1, port2 } = new MessageChannel();
  using _ = { [Symbol.dispose]: () => port1.close() };
  const pressed = once(port2, 'message', { signal: AbortSignal.timeout(30_000) }).then(([key]) => press(key));
  // After this the timers that are due come first, then what has arrived.
  await new Promise(setImmediate);
  press('1');
  port1.postMessage('2#');
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2_100);
  await pressed;
  expect(typed).toEqual(['12#']);
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

  test('the key that ends it, pressed after all of them, is no text that cuts the agent short', async () => {
    const digits = keypad.collect(wanted, never);
    press('1234#');
    expect(await digits).toBe('1234');
    vi.advanceTimersByTime(3_000);
    expect(typed).toEqual([]);
    press('#');
    expect(typed).toEqual(['#']);
  });

  test('that key, pressed long after them, is heard', async () => {
    const digits = keypad.collect(wanted, never);
    press('1234');
    expect(await digits).toBe('1234');
    vi.advanceTimersByTime(2_100);
    press('#');
    expect(typed).toEqual(['#']);
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

  test('whoever is typing when the time is over is heard out', async () => {
    const digits = keypad.collect(wanted, never);
    vi.advanceTimersByTime(4_000);
    press('1');
    vi.advanceTimersByTime(1_500);
    press('23');
    vi.advanceTimersByTime(1_900);
    press('4');
    expect(await digits).toBe('1234');
    expect(typed).toEqual([]);
  });

  test('the rest of a code is nobody’s text when the tool is given up in the middle of it', async () => {
    const givingUp = new AbortController();
    const digits = keypad.collect(wanted, givingUp.signal);
    press('12');
    givingUp.abort();
    expect(await digits).toBe('12');
    vi.advanceTimersByTime(1_000);
    press('3');
    vi.advanceTimersByTime(1_900);
    press('4#');
    vi.advanceTimersByTime(2_100);
    press('0#');
    expect(typed).toEqual(['0#']);
  });

  test('what was pressed in the moment before it asked is the beginning of them; what a pause had ended is not', async () => {
    press('9');
    vi.advanceTimersByTime(2_001);
    press('12');
    const digits = keypad.collect(wanted, never);
    press('34');
    expect(await digits).toBe('1234');
    press('12345#');
    const typedAhead = keypad.collect(wanted, never);
    press('4711');
    expect(await typedAhead).toBe('4711');
    expect(typed).toEqual(['9', '12345#']);
  });
});
