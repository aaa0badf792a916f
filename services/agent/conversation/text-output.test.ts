import { describe, expect, test, vi } from 'vitest';
import type { AgentRoom } from '../room/agent-room.ts';
import { type SpeakingGate, TextOutput } from './text-output.ts';

interface Stream {
  segment: string;
  chunks: string[];
  closed: boolean;
}

/** The part of a room that speaks, with a connection that can be cut. */
function fakeRoom() {
  const streams: Stream[] = [];
  const states: string[] = [];
  const room = {
    connected: true,
    broken: false,
    persons: () => [{ identity: 'person' }],
    showState: (state: string) => states.push(state),
    openReply: async (segment: string) => {
      const stream: Stream = { segment, chunks: [], closed: false };
      streams.push(stream);
      const whenThere = () => {
        if (room.broken) throw new Error('the connection is gone');
      };
      return {
        write: async (chunk: string) => {
          whenThere();
          stream.chunks.push(chunk);
        },
        close: async () => {
          whenThere();
          stream.closed = true;
        },
      };
    },
  };
  return { room, streams, states };
}

function output({ maySpeak = async () => 'yes' }: { maySpeak?: SpeakingGate } = {}) {
  const fake = fakeRoom();
  const it = new TextOutput(
    () => fake.room as unknown as AgentRoom,
    maySpeak,
    () => undefined,
  );
  it.begin();
  return { ...fake, it };
}

const patienceMs = 10_000;

describe('a reply', () => {
  test('is one stream, its chunks as they come, open until the turn ends', async () => {
    const { it, streams } = output();
    await it.captureText('Hello ');
    await it.captureText('there.');
    expect(streams).toMatchObject([{ chunks: ['Hello ', 'there.'], closed: false }]);
    expect(it.times.lastWordAt).toBeGreaterThanOrEqual(it.times.firstWordAt ?? Number.NaN);
    await it.end();
    expect(streams).toMatchObject([{ chunks: ['Hello ', 'there.'], closed: true }]);
  });

  test('stays one stream over a tool call, and the transcript gets its parts apart', async () => {
    const { it, streams } = output();
    void it.captureText('One moment. ');
    expect(await it.take()).toBe('One moment. ');
    await it.captureText('Done.');
    await it.end();
    expect(await it.take()).toBe('Done.');
    expect(await it.take()).toBe('');
    expect(streams).toMatchObject([{ chunks: ['One moment. ', 'Done.'], closed: true }]);
  });

  test('of the next turn is a stream of its own', async () => {
    const { it, streams } = output();
    await it.captureText('one');
    await it.end();
    it.begin();
    await it.captureText('two');
    await it.end();
    expect(streams.map(({ chunks }) => chunks)).toEqual([['one'], ['two']]);
    expect(new Set(streams.map(({ segment }) => segment)).size).toBe(2);
  });

  test('shows that the agent speaks with its first word', async () => {
    const { it, states } = output();
    await it.captureText('');
    expect(it.said).toBe('');
    await it.captureText('Hello');
    await it.captureText(' there');
    expect(states).toEqual(['speaking']);
    expect(it.said).toBe('Hello there');
  });

  test('that has arrived is not said again', async () => {
    const { it, streams } = output();
    await it.captureText('Hello.');
    await it.end();
    await it.repeatIfBroken(patienceMs);
    expect(streams).toHaveLength(1);
  });
});

describe('a reply that the person stops', () => {
  test('ends where it was: what was out stays said, and what comes after it is neither said nor stored', async () => {
    const { it, streams } = output();
    await it.captureText('One ');
    it.stop();
    expect(it.cut).toBe(false);
    await it.captureText('two');
    await it.end();
    expect(streams).toMatchObject([{ chunks: ['One '], closed: true }]);
    expect([it.cut, await it.take()]).toEqual([true, 'One ']);
  });

  test('is not followed by silence: the next one is said', async () => {
    const { it, streams } = output();
    it.stop();
    it.begin();
    await it.captureText('next');
    expect(streams).toMatchObject([{ chunks: ['next'] }]);
    expect(it.cut).toBe(false);
  });
});

describe('a host that may not speak any more', () => {
  test('says nothing and stores nothing', async () => {
    const { it, streams } = output({ maySpeak: async () => 'no' });
    await it.captureText('Hello');
    await it.end();
    expect(streams).toEqual([]);
    expect(await it.take()).toBe('');
  });

  test('falls silent in the middle, and what is stored is what was said', async () => {
    const { it, streams } = output();
    await it.captureText('One ');
    it.mute();
    await it.captureText('two');
    await it.end();
    expect(streams.map(({ chunks }) => chunks)).toEqual([['One ']]);
    expect(await it.take()).toBe('One ');
  });
});

describe('a host that cannot tell whose the conversation is', () => {
  test('is silent, and says the whole reply once it knows that it may', async () => {
    const answers: Awaited<ReturnType<SpeakingGate>>[] = ['yes', 'unknown', 'unknown', 'unknown'];
    const { it, streams } = output({ maySpeak: async () => answers.shift() ?? 'yes' });
    await it.captureText('One ');
    await it.captureText('two ');
    await it.captureText('three.');
    await it.end();
    expect(streams.map(({ chunks }) => chunks)).toEqual([['One ']]);
    expect(await it.repeatIfBroken(patienceMs)).toBe(true);
    expect(answers).toEqual([]);
    expect(streams.map(({ chunks }) => chunks)).toEqual([['One '], ['One two three.']]);
  });

  test('says no more when the conversation turns out to be another host’s', async () => {
    const answers: Awaited<ReturnType<SpeakingGate>>[] = ['unknown', 'unknown', 'no'];
    const { it, streams } = output({ maySpeak: async () => answers.shift() ?? 'yes' });
    await it.captureText('One');
    await it.end();
    expect(await it.repeatIfBroken(patienceMs)).toBe(false);
    expect(streams).toEqual([]);
  });

  test('can be told that it need not wait any longer', async () => {
    const told = Promise.withResolvers<void>();
    const maySpeak: SpeakingGate = async () => {
      told.resolve();
      return 'unknown';
    };
    const { it, streams } = output({ maySpeak });
    await it.captureText('One');
    await it.end();
    const repeated = it.repeatIfBroken(patienceMs);
    await told.promise;
    it.mute();
    expect(await repeated).toBe(false);
    expect(streams).toEqual([]);
  });
});

describe('a reply during which the room was away', () => {
  test('is said again as a whole once the person is back, under the same segment', async () => {
    const { it, room, streams } = output();
    await it.captureText('One ');
    it.interrupted();
    room.connected = false;
    await it.captureText('two ');
    await it.captureText('three.');
    await it.end();
    const repeated = it.repeatIfBroken(patienceMs);
    room.connected = true;
    await repeated;
    expect(streams.at(-1)).toEqual({ segment: streams[0]?.segment, chunks: ['One two three.'], closed: true });
    expect(streams).toHaveLength(2);
    expect(await it.take()).toBe('One two three.');
  });

  test('waits for the person, not only for the room', async () => {
    const { it, room, streams } = output();
    const person = [{ identity: 'person' }];
    room.persons = () => [];
    await it.captureText('One.');
    it.interrupted();
    await it.end();
    const looks = vi.spyOn(room, 'persons');
    const repeated = it.repeatIfBroken(patienceMs);
    await vi.waitFor(() => expect(looks.mock.calls.length).toBeGreaterThan(1));
    expect(streams).toHaveLength(1);
    looks.mockReturnValue(person);
    await repeated;
    expect(streams.map(({ chunks }) => chunks)).toEqual([['One.'], ['One.']]);
  });

  test('is said again when its stream could not be written or closed', async () => {
    for (const breakAt of ['write', 'close'] as const) {
      const { it, room, streams } = output();
      await it.captureText('One ');
      if (breakAt === 'write') room.broken = true;
      await it.captureText('two.');
      room.broken = true;
      await it.end();
      room.broken = false;
      await it.repeatIfBroken(patienceMs);
      expect(streams.at(-1), breakAt).toMatchObject({ chunks: ['One two.'], closed: true });
    }
  });

  test('is given up when nobody comes back in time', async () => {
    const { it, room, streams } = output();
    await it.captureText('One.');
    it.interrupted();
    room.connected = false;
    await it.end();
    await it.repeatIfBroken(50);
    expect(streams).toHaveLength(1);
  });

  test('is not said again by a host that has been told to be silent', async () => {
    const { it, streams } = output();
    await it.captureText('One.');
    it.interrupted();
    await it.end();
    it.mute();
    await it.repeatIfBroken(patienceMs);
    expect(streams).toHaveLength(1);
  });
});
