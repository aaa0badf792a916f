import { expect, test } from 'vitest';
import { ifLate, TooLate, unlessAborted, within } from './within.ts';

const never = () => new Promise<never>(() => undefined);

test('what comes in time is given, and its own failure too', async () => {
  expect(await within(60_000, 'an answer', Promise.resolve('here'))).toBe('here');
  await expect(within(60_000, 'an answer', Promise.reject(new Error('no')))).rejects.toThrow('no');
});

test('what does not come in time is named', async () => {
  const late = await within(5, 'the room server', never()).catch((error: unknown) => error);
  expect(late).toBeInstanceOf(TooLate);
  expect(late).toMatchObject({
    what: 'the room server',
    afterMs: 5,
    message: 'the room server took longer than 5 ms',
  });
});

test('work that takes a signal hears that nobody waits any longer', async () => {
  let heard: AbortSignal | undefined;
  const work = (signal: AbortSignal) => {
    heard = signal;
    return never();
  };
  const late = await within(5, 'an answer', work).catch((error: unknown) => error);
  expect(heard?.reason).toBe(late);
});

test('work that was in time hears nothing afterwards', async () => {
  let heard: AbortSignal | undefined;
  const work = async (signal: AbortSignal) => {
    heard = signal;
  };
  await within(1, 'an answer', work);
  await within(20, 'a timer that would have gone off', never()).catch(ifLate(undefined));
  expect(heard?.aborted).toBe(false);
});

test('what arrived while this process was busy is in time', async () => {
  const { port1, port2 } = new MessageChannel();
  const arrived = new Promise((resolve) => {
    port1.onmessage = ({ data }) => resolve(data);
  });
  const answer = within(5, 'a message', arrived);
  port2.postMessage('here');
  const until = performance.now() + 20;
  while (performance.now() < until);
  expect(await answer).toBe('here');
  port1.close();
});

test('a value can stand for what is late, and for nothing else', async () => {
  expect(await within(5, 'an answer', never()).catch(ifLate('none'))).toBe('none');
  const failing = within(60_000, 'an answer', Promise.reject(new Error('no')));
  await expect(failing.catch(ifLate('none'))).rejects.toThrow('no');
});

test('an aborted wait ends with the reason, also when it was aborted before', async () => {
  const stop = new AbortController();
  const waiting = unlessAborted(stop.signal, never());
  const reason = new Error('the person goes on');
  stop.abort(reason);
  await expect(waiting).rejects.toBe(reason);
  await expect(unlessAborted(stop.signal, never())).rejects.toBe(reason);
});
