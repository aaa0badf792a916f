import { setImmediate } from 'node:timers/promises';
import { initializeLogger, stt } from '@livekit/agents';
import { AudioFrame } from '@livekit/rtc-node';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { HeardInOrder } from '../../services/agent/speech/recognition.ts';
import type { SpeechMakers } from '../../services/agent/speech/settings.ts';
import { eventually } from '../support/eventually.ts';
import { HeardLine } from '../support/stand-ins/manners/recognition.ts';
import { cartesia } from '../support/stand-ins/providers/cartesia.ts';
import { deepgram } from '../support/stand-ins/providers/deepgram.ts';
import { elevenlabs } from '../support/stand-ins/providers/elevenlabs.ts';
import {
  goSilent,
  type Protocol,
  type SpeechServer,
  startSpeechServer,
  testKey,
} from '../support/stand-ins/providers/speech-server.ts';

initializeLogger({ pretty: false, level: 'silent' });

const tone = (ms: number, loudness: number) => {
  const samples = Int16Array.from({ length: ms * 16 }, (_, at) => loudness * Math.sin(at / 5));
  return new AudioFrame(samples, 16_000, 1, samples.length);
};

const providers = {
  deepgram: { protocol: deepgram, path: '', load: () => import('../../services/agent/providers/deepgram/speech.ts') },
  cartesia: { protocol: cartesia, path: '', load: () => import('../../services/agent/providers/cartesia/speech.ts') },
  elevenlabs: {
    protocol: elevenlabs,
    path: '/v1',
    load: () => import('../../services/agent/providers/elevenlabs/speech.ts'),
  },
} as const;
type Name = keyof typeof providers;

/** The recognition of one conversation, with all that it was told of words and failures. */
async function listening(name: Name, server: SpeechServer) {
  const { path, load } = providers[name];
  const { listener } = (await load()) as unknown as SpeechMakers;
  const settings = { provider: name, apiKey: testKey, model: undefined, language: 'en', keywords: [] };
  const made = await listener({ ...settings, baseUrl: `${server.url}${path}` }, {} as never);
  const mended: string[] = [];
  const failed: unknown[] = [];
  const heard = new HeardInOrder({ listeners: [made], onMended: ({ kind }) => mended.push(kind) });
  heard.on('error', ({ error }) => failed.push(error));
  const stream = heard.stream() as stt.SpeechStream & { begin(): void };
  const finals: string[] = [];
  const guesses: string[] = [];
  const reading = (async () => {
    for await (const event of stream) {
      const text = event.alternatives?.[0].text ?? '';
      if (event.type === stt.SpeechEventType.FINAL_TRANSCRIPT) finals.push(text);
      if (event.type === stt.SpeechEventType.INTERIM_TRANSCRIPT) guesses.push(text);
    }
  })();
  return {
    finals,
    guesses,
    mended,
    failed,
    /** Somebody begins to speak; what was given to the stream before has come out of it. */
    async begin() {
      for (let turn = 0; turn < 10; turn += 1) await setImmediate();
      stream.begin();
    },
    hear: () => stream.pushFrame(tone(1_000, 8_000)),
    /** A sound and the silence after it, and the end of the utterance. */
    utter(loudness = 8_000) {
      for (const frame of [tone(100, 0), tone(600, loudness), tone(700, 0)]) stream.pushFrame(frame);
      stream.flush();
    },
    async [Symbol.asyncDispose]() {
      stream.close();
      await reading;
      await heard.close();
    },
  };
}

describe.each(Object.keys(providers) as Name[])('%s', (name) => {
  let server: SpeechServer;
  beforeEach(async () => {
    server = await startSpeechServer(providers[name].protocol);
  });
  afterEach(() => server[Symbol.asyncDispose]());

  test('a sound without words is answered with none, on the same connection, however often', async () => {
    await using recognition = await listening(name, server);
    await eventually('the connection', () => server.requests.length > 0);
    server.hears = 'hello there';
    recognition.utter();
    await eventually('words', () => recognition.finals.length === 1);
    server.hears = '';
    for (let cough = 1; cough <= 4; cough++) {
      recognition.utter();
      await eventually('the answer', () => recognition.finals.length === 1 + cough);
    }
    server.hears = 'good bye';
    recognition.utter();
    await eventually('words', () => recognition.finals.includes('good bye'));
    expect(recognition.finals).toEqual(['hello there', '', '', '', '', 'good bye']);
    expect([recognition.mended, recognition.failed, server.requests.length]).toEqual([[], [], 1]);
  });

  test('a provider from which nothing comes is asked again, and hears what was said', async () => {
    await using recognition = await listening(name, server);
    await eventually('the connection', () => server.requests.length > 0);
    server.hears = 'hello there';
    server.fault = 'stall';
    recognition.utter();
    await eventually('a second connection', () => server.requests.length > 1);
    server.fault = undefined;
    await eventually('words', () => recognition.finals.includes('hello there'));
    expect(recognition.failed).toEqual([]);
  });
});

test('words that never become final are told all the same, and once, should they become it later', async () => {
  let finish = () => {};
  const never: Protocol = {
    ...deepgram,
    socket: (socket) =>
      socket.on('message', (data, isBinary) => {
        const line = new HeardLine(socket, 'a table for two');
        if (isBinary) line.interim(line.words);
        else if (String(data).includes('Finalize')) line.interim('');
        finish = () => line.final('a table for two please');
      }),
  };
  await using server = await startSpeechServer(never);
  await using recognition = await listening('deepgram', server);
  await eventually('the connection', () => server.requests.length > 0);
  recognition.utter();
  await eventually('words', () => recognition.finals.includes('a table for two'));
  finish();
  await eventually('the rest', () => recognition.finals.includes('please'));
  expect(recognition.finals).toEqual(['a table for two', 'please']);
  expect([recognition.mended, server.requests.length]).toEqual([[], 1]);
});

describe('who speaks again before the last sound was answered', () => {
  /** Deepgram, as the test has it answer the first flush and the second. */
  const answering = (...answers: ((line: HeardLine) => void)[]) => {
    const heard = { line: undefined as HeardLine | undefined, flushes: 0, sounds: 0 };
    const protocol: Protocol = {
      ...deepgram,
      socket: (socket) =>
        socket.on('message', (data, isBinary) => {
          if (isBinary) heard.sounds += 1;
          if (isBinary || !String(data).includes('Finalize')) return;
          heard.line = new HeardLine(socket, '');
          answers[heard.flushes]?.(heard.line);
          heard.flushes += 1;
        }),
    };
    return { heard, protocol };
  };

  test('has said nothing with a sound without words: the first guess of what comes next is no answer to it', async () => {
    const { heard, protocol } = answering(
      (line) => line.final(''),
      (line) => line.final('the order'),
    );
    await using server = await startSpeechServer(protocol);
    await using recognition = await listening('deepgram', server);
    recognition.hear();
    await eventually('it is heard', () => heard.sounds > 0);
    recognition.utter();
    await eventually('the flush', () => heard.flushes === 1);
    await recognition.begin();
    heard.line?.interim('the');
    await eventually('an answer', () => recognition.finals.length > 0);
    expect(recognition.finals).toEqual(['']);
    recognition.utter();
    await eventually('words', () => recognition.finals.length > 1);
    expect([recognition.finals, recognition.mended]).toEqual([['', 'the order'], []]);
  });

  test('is heard once on the next connection, should the first be half-open: what was asked, and what comes next', async () => {
    let connections = 0;
    const flushed: number[] = [];
    const halfOpenOnce: Protocol = {
      ...deepgram,
      socket: (socket) => {
        connections += 1;
        if (connections === 1) return goSilent(socket);
        let bytes = 0;
        socket.on('message', (data, isBinary) => {
          if (isBinary) bytes += (data as Buffer).length;
          else if (String(data).includes('Finalize')) {
            flushed.push(bytes / 32_000);
            new HeardLine(socket, '').final(`answer ${flushed.length}`);
          }
        });
      },
    };
    await using server = await startSpeechServer(halfOpenOnce);
    await using recognition = await listening('deepgram', server);
    await eventually('the connection', () => connections === 1);
    recognition.utter();
    await recognition.begin();
    recognition.hear();
    await eventually('the answer to what was asked', () => recognition.finals.length === 1);
    recognition.utter();
    await eventually('the next answer', () => recognition.finals.length === 2);
    expect(recognition.finals).toEqual(['answer 1', 'answer 2']);
    // Seconds of sound before each end: of the first utterance no more than was said by then.
    expect(flushed[0]).toBeLessThanOrEqual(1.4);
    expect(flushed[1]).toBeGreaterThan(2.4);
  });

  test('is told the guess of what was said, should no final come of it, before what comes next', async () => {
    const { heard, protocol } = answering(
      (line) => line.interim('a table'),
      (line) => line.final('for two'),
    );
    await using server = await startSpeechServer(protocol);
    await using recognition = await listening('deepgram', server);
    recognition.hear();
    await eventually('it is heard', () => heard.sounds > 0);
    recognition.utter();
    await eventually('the flush', () => heard.flushes === 1);
    await eventually('a guess', () => recognition.guesses.includes('a table'));
    await recognition.begin();
    heard.line?.interim('for');
    recognition.utter();
    await eventually('words', () => recognition.finals.length > 1);
    expect([recognition.finals, recognition.mended]).toEqual([['a table', 'for two'], []]);
  });
});

test('deepgram hears words of hesitation', async () => {
  await using server = await startSpeechServer(deepgram);
  await using _ear = await listening('deepgram', server);
  await eventually('the connection', () => server.requests.length > 0);
  expect(server.requests[0]?.url.searchParams.get('filler_words')).toBe('true');
});

test('what was said when the connection broke is heard on the next one, whatever the plugin makes of it', async () => {
  let connections = 0;
  const breaksOnce: Protocol = {
    ...deepgram,
    socket: (socket, all, url) => {
      connections += 1;
      deepgram.socket?.(socket, connections === 1 ? { ...all, fault: 'drop' } : all, url);
    },
  };
  await using server = await startSpeechServer(breaksOnce);
  await using recognition = await listening('deepgram', server);
  await eventually('the connection', () => server.requests.length > 0);
  server.hears = 'a table for two';
  recognition.utter();
  await eventually('words', () => recognition.finals.includes('a table for two'));
  expect([recognition.mended, connections]).toEqual([['dropped'], 2]);
});
