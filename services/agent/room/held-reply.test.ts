import { describe, expect, test } from 'vitest';
import { heldReply, untilLeaveIsKnown, type Ways } from './held-reply.ts';

function ways() {
  const sent: string[] = [];
  const all: Ways = {
    whole: async (text) => void sent.push(`whole ${text}`),
    open: async () => ({
      write: async (text) => void sent.push(`piece ${text}`),
      close: async () => void sent.push('closed'),
    }),
  };
  return { all, sent };
}

test('a reply that ends soon enough goes out as one', async () => {
  const { all, sent } = ways();
  const reply = heldReply(all, () => false);
  await reply.write('You said: ');
  await reply.write('hello');
  expect(sent).toEqual([]);
  await reply.close();
  expect(sent).toEqual(['whole You said: hello']);
});

test('a longer one begins with what was kept, and goes on as it comes', async () => {
  const { all, sent } = ways();
  let mayStayOpen = false;
  const reply = heldReply(all, () => mayStayOpen);
  await reply.write('You ');
  mayStayOpen = true;
  await reply.write('said: ');
  await reply.write('hello');
  await reply.close();
  expect(sent).toEqual(['piece You said: ', 'piece hello', 'closed']);
});

test('one without words sends nothing', async () => {
  const { all, sent } = ways();
  await heldReply(all, () => false).close();
  expect(sent).toEqual([]);
});

describe('that an agent has left is known', () => {
  /** When, in milliseconds, to a client that answers a call from then on, or of which the connection ends. */
  async function knownAt({
    answersFrom,
    overFrom = Infinity,
  }: {
    answersFrom: number;
    overFrom?: number;
  }): Promise<number> {
    let now = 0;
    const sleep = async (ms: number) => {
      now += ms;
    };
    await untilLeaveIsKnown({
      everybodyAnswers: async (withinMs) => {
        if (now + withinMs >= answersFrom) return sleep(Math.max(0, answersFrom - now)).then(() => true);
        return sleep(withinMs).then(() => false);
      },
      isOver: () => now >= overFrom,
      now: () => now,
      sleep,
    });
    return now;
  }

  test('4 s after another took its place, to a client that answers', async () => {
    expect(await knownAt({ answersFrom: 0 })).toBe(4_000);
  });

  test('later, to one that is late with its answer: it is late with the news, too', async () => {
    expect(await knownAt({ answersFrom: 9_000 })).toBe(9_000);
  });

  test('after 15 s to one that never answers', async () => {
    const at = await knownAt({ answersFrom: Infinity });
    expect(at).toBeGreaterThanOrEqual(15_000);
    expect(at).toBeLessThan(18_000);
  });

  test('never again by a connection that is over', async () => {
    expect(await knownAt({ answersFrom: Infinity, overFrom: 5_000 })).toBeLessThan(7_000);
  });
});
