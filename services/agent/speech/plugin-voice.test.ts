import { type APIConnectOptions, initializeLogger, tts } from '@livekit/agents';
import { AudioFrame } from '@livekit/rtc-node';
import { expect, test } from 'vitest';
import { bestEffort } from '../../process/best-effort.ts';
import { pluginVoice } from './plugin-voice.ts';

initializeLogger({ pretty: false, level: 'silent' });

/** A plugin whose streams end as the test says: `ends` in the order in which they were opened. */
class Engine extends tts.TTS {
  label = 'engine';
  readonly ends: PromiseWithResolvers<void>[] = [];

  constructor() {
    super(24_000, 1, { streaming: true });
  }

  synthesize(): tts.ChunkedStream {
    throw new Error('it streams');
  }

  stream({ connOptions }: { connOptions?: APIConnectOptions } = {}): tts.SynthesizeStream {
    const end = Promise.withResolvers<void>();
    void bestEffort('a test may reject it before it is waited for', end.promise);
    this.ends.push(end);
    return new EngineStream(this, end.promise, connOptions);
  }
}

class EngineStream extends tts.SynthesizeStream {
  label = 'engine';
  readonly #end: Promise<void>;

  constructor(engine: tts.TTS, end: Promise<void>, connOptions?: APIConnectOptions) {
    super(engine, connOptions);
    this.#end = end;
  }

  protected async run(): Promise<void> {
    const frame = new AudioFrame(new Int16Array(240), 24_000, 1, 240);
    this.queue.put({ requestId: 'a', segmentId: 'a', frame, final: true });
    await this.#end;
  }
}

test('a sentence that fails is no failure of another that is said at the same time', async () => {
  const engine = new Engine();
  const voice = pluginVoice('engine', engine);
  const said = async (sentence: string) => {
    let frames = 0;
    for await (const _frame of voice.speak(sentence, new AbortController().signal)) frames += 1;
    return frames;
  };
  const one = said('Good day.').catch((error: Error) => error.message);
  const two = said('How are you?').catch((error: Error) => error.message);
  engine.ends[0]?.reject(new Error('the connection was closed'));
  expect(await one).toContain('closed');
  engine.ends[1]?.resolve();
  expect(await two).toBe(1);
});
