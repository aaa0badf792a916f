import { describe, expect, test } from 'vitest';
import type { Rooms } from '../../core/rooms/rooms.ts';
import type { AgentRoom } from '../room/agent-room.ts';
import { RoomConnection } from './room-connection.ts';
import type { LifeFact, RoomFact, Standing } from './state/fact.ts';

const second = 1_000;

/**
 * An agent that is out of its room: whose the session is at which second, and a room server on which nothing can be made, so that every
 * attempt to join shows and none works. The time is what was slept.
 */
function sentOut(
  whoseAt: (atMs: number) => Standing,
  { othersAreThere = true, openForMs = 600 * second }: { othersAreThere?: boolean; openForMs?: number } = {},
) {
  let nowMs = 0;
  const attempts: { atMs: number; whose: Standing }[] = [];
  const posted: { atMs: number; fact: string }[] = [];
  const create: Rooms['create'] = async () => {
    attempts.push({ atMs: nowMs, whose: whoseAt(nowMs) });
    throw new Error('the room server is away');
  };
  const connection = new RoomConnection({ name: 'room_1' } as AgentRoom, {
    rooms: { create } as Rooms,
    isOver: () => false,
    isOpen: () => nowMs < openForMs,
    onText: () => undefined,
    standing: async () => whoseAt(nowMs),
    othersAreThere: async () => othersAreThere,
    post: ({ kind }: RoomFact | LifeFact) => void posted.push({ atMs: nowMs, fact: kind }),
    onMoved: () => undefined,
    warn: () => undefined,
    pace: {
      now: () => nowMs,
      sleep: async (ms) => {
        nowMs += ms;
      },
    },
  });
  return { connection, attempts, posted };
}

describe('who is sent out of the room', () => {
  test.for([
    ['others', 'taken_over'],
    ['ended', 'session_ended'],
  ] as const)(
    'does not join it again when the session is that of %s: its successor would be sent out',
    async ([whose, fact]) => {
      const { connection, attempts, posted } = sentOut(() => whose);
      await connection.retake();
      expect(attempts).toEqual([]);
      expect(posted).toEqual([{ atMs: 0, fact }]);
    },
  );

  test('joins nothing as long as nobody knows whose the session is, and leaves it to whom it is then', async () => {
    const { connection, attempts, posted } = sentOut((atMs) => (atMs < 20 * second ? 'unknown' : 'others'));
    await connection.retake();
    expect(attempts).toEqual([]);
    expect(posted).toEqual([{ atMs: 20 * second, fact: 'taken_over' }]);
  });

  test('asks before each attempt: a successor may come while it tries', async () => {
    const { connection, attempts, posted } = sentOut((atMs) => (atMs < 2 * second ? 'ours' : 'others'));
    await connection.retake();
    expect(attempts.map(({ whose }) => whose)).toEqual(['ours', 'ours', 'ours', 'ours']);
    expect(posted).toEqual([{ atMs: 2 * second, fact: 'taken_over' }]);
  });
});

describe('a host that cannot reach the room of its session', () => {
  test('gives it away after five seconds where others are', async () => {
    const { connection, attempts, posted } = sentOut(() => 'ours');
    await connection.retake();
    expect(posted).toEqual([{ atMs: 5 * second, fact: 'room_unreachable' }]);
    expect(attempts).toHaveLength(10);
  });

  test('tries for a minute where it is alone', async () => {
    const { connection, posted } = sentOut(() => 'ours', { othersAreThere: false });
    await connection.retake();
    expect(posted).toEqual([{ atMs: 60 * second, fact: 'room_unreachable' }]);
  });

  test('gives away to nobody what it does not know to be its own', async () => {
    const { connection, posted } = sentOut(() => 'unknown', { openForMs: 120 * second });
    await connection.retake();
    expect(posted).toEqual([]);
  });

  test('stops when the conversation is over or given away otherwise', async () => {
    const { connection, posted } = sentOut(() => 'ours', { openForMs: 3 * second });
    await connection.retake();
    expect(posted).toEqual([]);
  });
});
