import { expect, test } from 'vitest';
import { heldReply, type Ways } from './held-reply.ts';

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
  const reply = heldReply(all, 100, () => 0);
  await reply.write('You said: ');
  await reply.write('hello');
  expect(sent).toEqual([]);
  await reply.close();
  expect(sent).toEqual(['whole You said: hello']);
});

test('a longer one begins with what was kept, and goes on as it comes', async () => {
  const { all, sent } = ways();
  let now = 0;
  const reply = heldReply(all, 100, () => now);
  await reply.write('You ');
  now = 100;
  await reply.write('said: ');
  await reply.write('hello');
  await reply.close();
  expect(sent).toEqual(['piece You said: ', 'piece hello', 'closed']);
});

test('one without words sends nothing', async () => {
  const { all, sent } = ways();
  await heldReply(all, 100, () => 0).close();
  expect(sent).toEqual([]);
});
