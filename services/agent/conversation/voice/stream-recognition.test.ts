import { setImmediate } from 'node:timers/promises';
import { type APIConnectOptions, initializeLogger, stt } from '@livekit/agents';
import { AudioFrame } from '@livekit/rtc-node';
import { describe, expect, test, vi } from 'vitest';
import { StreamRecognition } from './stream-recognition.ts';

initializeLogger({ pretty: false, level: 'silent' });

const sound = new AudioFrame(new Int16Array(160), 16_000, 1, 160);
const never = new AbortController().signal;

const types = {
  interim: stt.SpeechEventType.INTERIM_TRANSCRIPT,
  final: stt.SpeechEventType.FINAL_TRANSCRIPT,
  end: stt.SpeechEventType.END_OF_SPEECH,
} as const;

/** A recogniser whose events the test makes. */
class Scripted extends stt.STT {
  label = 'scripted';
  current: ScriptedStream | undefined;

  constructor() {
    super({ streaming: true, interimResults: true });
  }

  protected _recognize(): Promise<stt.SpeechEvent> {
    throw new Error('it listens along');
  }

  stream(options?: { connOptions?: APIConnectOptions }): stt.SpeechStream {
    this.current = new ScriptedStream(this, options?.connOptions);
    return this.current;
  }

  tell(kind: keyof typeof types, text: string): void {
    const type = types[kind];
    if (kind === 'end') return this.current?.put({ type });
    const alternative = { text, language: 'en', startTime: 0, endTime: 0, confidence: 1 };
    this.current?.put({ type, alternatives: [alternative as stt.SpeechData] });
  }
}

class ScriptedStream extends stt.SpeechStream {
  label = 'scripted';
  readonly #over = Promise.withResolvers<void>();

  constructor(owner: stt.STT, connOptions?: APIConnectOptions) {
    super(owner, undefined, connOptions);
  }

  protected run(): Promise<void> {
    return this.#over.promise;
  }

  put(event: stt.SpeechEvent): void {
    this.queue.put(event);
  }

  override close(): void {
    this.#over.resolve();
    super.close();
  }
}

/** What the stream was given has come out at its other end. */
async function delivered(): Promise<void> {
  for (let turn = 0; turn < 10; turn += 1) await setImmediate();
}

function recognition() {
  const recogniser = new Scripted();
  const told = { words: [] as string[], late: [] as string[], failures: [] as unknown[] };
  const it = new StreamRecognition(recogniser, {
    onWords: (text) => told.words.push(text),
    onLateWords: (text) => told.late.push(text),
    onFailure: (error) => told.failures.push(error),
  });
  const tell = async (kind: 'interim' | 'final' | 'end', text = '') => {
    recogniser.tell(kind, text);
    await delivered();
  };
  return { it, told, tell };
}

describe('the words of an utterance', () => {
  test('are all its parts, also the one that answers its end', async () => {
    const { it, tell } = recognition();
    await delivered();
    const utterance = it.begin();
    await tell('final', 'I would like a table');
    const words = utterance.words(sound, never);
    await tell('final', 'for four');
    expect(await words).toBe('I would like a table for four');
    it.close();
  });

  test('are known after half a second when the last part was empty, which is told to nobody', async () => {
    const { it, tell } = recognition();
    await delivered();
    const utterance = it.begin();
    await tell('final', 'I would like a table');
    const words = utterance.words(sound, never);
    expect(await words).toBe('I would like a table');
    it.close();
  });

  test('are read again when it is told: a part may come after the pause in which it was asked for', async () => {
    const { it, tell } = recognition();
    await delivered();
    const utterance = it.begin();
    await tell('final', 'I would like a table');
    const words = utterance.words(sound, never);
    await words;
    await tell('final', 'for four');
    expect(utterance.end()).toBe('I would like a table for four');
    it.close();
  });

  test('include those of a second final that answers its end: it stays open for a moment after the first', async () => {
    const { it, told, tell } = recognition();
    await delivered();
    const utterance = it.begin();
    const words = utterance.words(sound, never);
    await tell('final', 'I would like');
    await words;
    const settled = utterance.settled();
    it.begin();
    await tell('final', 'a table');
    await tell('final', 'for four');
    await settled;
    expect(utterance.end()).toBe('I would like a table for four');
    expect(told.late).toEqual([]);
    it.close();
  });

  test.each([
    { before: 'of which nothing is known', marked: false, laterMs: 250 },
    { before: 'that has marked the end of an utterance', marked: true, laterMs: 450 },
  ])('include a second final that comes $laterMs ms later, from a recogniser $before', async ({ marked, laterMs }) => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    try {
      const { it, tell } = recognition();
      await delivered();
      const said = async (...finals: string[]) => {
        const utterance = it.begin();
        const words = utterance.words(sound, never);
        await tell('final', finals[0]);
        await words;
        const ended = utterance.settled().then(() => utterance.end());
        for (const more of finals.slice(1)) {
          await vi.advanceTimersByTimeAsync(laterMs);
          await tell('final', more);
        }
        if (marked) await tell('end');
        await vi.advanceTimersByTimeAsync(1_000);
        return ended;
      };
      if (marked) expect(await said('hello')).toBe('hello');
      expect(await said('the order number', 'two is mine')).toBe('the order number two is mine');
      it.close();
    } finally {
      vi.useRealTimers();
    }
  });

  test('are told at once where the recogniser marks the end', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout'] });
    try {
      const { it, tell } = recognition();
      await delivered();
      const utterance = it.begin();
      const words = utterance.words(sound, never);
      await tell('final', 'I would like a table');
      await words;
      await tell('end');
      // No clock moves.
      await utterance.settled();
      expect(utterance.end()).toBe('I would like a table');
      it.close();
    } finally {
      vi.useRealTimers();
    }
  });

  test('belong to it although the next has begun meanwhile', async () => {
    const { it, tell } = recognition();
    await delivered();
    const first = it.begin();
    await tell('final', 'No');
    const words = first.words(sound, never);
    const second = it.begin();
    await tell('final', 'not today');
    expect(await words).toBe('No not today');
    first.end();
    await tell('final', 'Tomorrow');
    expect(second.end()).toBe('Tomorrow');
    it.close();
  });

  test('begin with a guess that comes while the one before, a sound without words, still waits for its answer', async () => {
    const { it, told, tell } = recognition();
    await delivered();
    const noise = it.begin();
    const words = noise.words(sound, never);
    const second = it.begin();
    await tell('interim', 'the');
    await tell('final', '');
    expect(await words).toBe('');
    await noise.settled();
    expect(noise.end()).toBe('');
    expect([second.end(), told.words]).toEqual(['the', ['the']]);
    it.close();
  });

  test('that are known only when the next has begun are not shown as words of the next', async () => {
    const { it, told, tell } = recognition();
    await delivered();
    const first = it.begin();
    const words = first.words(sound, never);
    it.begin();
    await tell('final', 'not today');
    expect([await words, told.words]).toEqual(['not today', []]);
    it.close();
  });

  test('are not told again by the next one when their last guess came after its beginning', async () => {
    const { it, tell } = recognition();
    await delivered();
    const first = it.begin();
    const words = first.words(sound, never);
    const second = it.begin();
    await tell('interim', 'not today');
    await tell('final', 'not today');
    expect([await words, second.end()]).toEqual(['not today', '']);
    it.close();
  });

  test('are told late when it was told without them, and nothing is lost', async () => {
    const { it, told, tell } = recognition();
    await delivered();
    const utterance = it.begin();
    const words = utterance.words(sound, never);
    expect(await words).toBe('');
    expect(utterance.end()).toBe('');
    await tell('final', 'are you there');
    expect(told.late).toEqual(['are you there']);
    it.close();
  });

  test('follow the recogniser when it takes a guess back', async () => {
    const { it, told, tell } = recognition();
    await delivered();
    const utterance = it.begin();
    await tell('interim', 'I would bike');
    await tell('interim', '');
    const words = utterance.words(sound, never);
    await tell('final', 'I would like');
    expect(await words).toBe('I would like');
    expect(told.words).toEqual(['I would bike', 'I would like']);
    it.close();
  });
});
