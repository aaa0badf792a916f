import { type APIConnectOptions, initializeLogger, stt } from '@livekit/agents';
import { AudioFrame } from '@livekit/rtc-node';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { HeardInOrder } from './recognition.ts';

initializeLogger({ pretty: false, level: 'silent' });

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(() => void vi.useRealTimers());

/** A recogniser that is connected and never says anything. */
class Mute extends stt.STT {
  label = 'mute';
  opened = 0;

  constructor() {
    super({ streaming: true, interimResults: true });
  }

  protected _recognize(): Promise<stt.SpeechEvent> {
    throw new Error('it listens along');
  }

  stream(options?: { connOptions?: APIConnectOptions }): stt.SpeechStream {
    this.opened += 1;
    return new MuteStream(this, options?.connOptions);
  }
}

class MuteStream extends stt.SpeechStream {
  label = 'mute';
  readonly #over = Promise.withResolvers<void>();

  constructor(owner: stt.STT, connOptions?: APIConnectOptions) {
    super(owner, undefined, connOptions);
  }

  protected run(): Promise<void> {
    return this.#over.promise;
  }

  override close(): void {
    this.#over.resolve();
    super.close();
  }
}

function listening() {
  const recogniser = new Mute();
  const mended: string[] = [];
  const heard = new HeardInOrder({
    listeners: [{ provider: 'mute', stt: recogniser }],
    onMended: ({ kind }) => mended.push(kind),
  });
  const stream = heard.stream() as stt.SpeechStream & { goOn(): void };
  const hear = async () => {
    stream.pushFrame(new AudioFrame(new Int16Array(16_000), 16_000, 1, 16_000));
    await vi.advanceTimersByTimeAsync(50);
  };
  return { stream, hear, mended, recogniser };
}

test('a provider that owes an answer to a flush is asked again on another connection', async () => {
  const { stream, hear, mended, recogniser } = listening();
  await hear();
  stream.flush();
  await vi.advanceTimersByTimeAsync(1_500);
  expect([mended, recogniser.opened]).toEqual([['stalled'], 2]);
  stream.close();
});

test('one that was flushed in a pause after which the person went on owes nothing before the next', async () => {
  const { stream, hear, mended, recogniser } = listening();
  await hear();
  stream.flush();
  await vi.advanceTimersByTimeAsync(300);
  stream.goOn();
  await hear();
  await vi.advanceTimersByTimeAsync(5_000);
  expect([mended, recogniser.opened]).toEqual([[], 1]);
  stream.flush();
  await vi.advanceTimersByTimeAsync(1_500);
  expect([mended, recogniser.opened]).toEqual([['stalled'], 2]);
  stream.close();
});
