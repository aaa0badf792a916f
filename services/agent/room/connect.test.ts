import type { Room } from '@livekit/rtc-node';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { TooLate } from '../../process/within.ts';
import { connect } from './connect.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setImmediate', 'clearImmediate'] }));
afterEach(() => void vi.useRealTimers());

function roomThatIsJoinedLate() {
  const join = Promise.withResolvers<void>();
  const disconnect = vi.fn(async () => undefined);
  const room = { connect: () => join.promise, disconnect } as unknown as Room;
  return { room, join, disconnect };
}

test('a connection that was given up leaves the room when it comes in after all', async () => {
  const { room, join, disconnect } = roomThatIsJoinedLate();
  const refused = expect(connect(room, 'ws://rooms', 'token')).rejects.toBeInstanceOf(TooLate);
  await vi.advanceTimersByTimeAsync(8_001);
  await refused;
  expect(disconnect).not.toHaveBeenCalled();
  join.resolve();
  await vi.waitFor(() => expect(disconnect).toHaveBeenCalledOnce());
});

test('one that never comes in has nothing to leave', async () => {
  const { room, join, disconnect } = roomThatIsJoinedLate();
  const refused = expect(connect(room, 'ws://rooms', 'token')).rejects.toThrow('no such room');
  join.reject(new Error('no such room'));
  await refused;
  expect(disconnect).not.toHaveBeenCalled();
});
