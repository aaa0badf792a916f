import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { haveLoaded } from './loaded-speech.ts';

test('speech is ready once every host has loaded it, and never when all is stopped before', async () => {
  const answers = [['whisper-base'], ['whisper-base', 'en_US-joe-medium']];
  const host = createServer((_, response) => {
    response.end(JSON.stringify({ loadedSpeech: answers.length > 1 ? answers.shift() : answers[0] }));
  });
  await new Promise<void>((resolve) => host.listen(0, '127.0.0.1', resolve));
  try {
    const address = `http://127.0.0.1:${(host.address() as AddressInfo).port}/readyz`;
    const names = ['whisper-base', 'en_US-joe-medium'];
    expect(await haveLoaded(names, [address], new AbortController().signal)).toBe(true);
    expect(answers).toHaveLength(1);
    const stop = new AbortController();
    const waiting = haveLoaded(['another'], [address], stop.signal);
    stop.abort();
    expect(await waiting).toBe(false);
  } finally {
    host.close();
  }
});
