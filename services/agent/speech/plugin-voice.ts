import { AsyncLocalStorage } from 'node:async_hooks';
import type { tts } from '@livekit/agents';
import type { AudioFrame } from '@livekit/rtc-node';
import type { Voice } from './voice.ts';

const connOptions = { maxRetry: 0, retryIntervalMs: 0, timeoutMs: 10_000 };

/** A plugin's text to speech as a voice: a stream for each sentence. */
export const pluginVoice = (provider: string, engine: tts.TTS): Voice => ({
  provider,
  model: engine.model,
  sampleRate: engine.sampleRate,
  isAway: true,
  speak: (sentence, signal) => say(engine, sentence, signal),
  close: () => engine.close(),
});

/** Which sentence a stream says: its error comes as an event of the engine, which may say two at once. */
const sentences = new AsyncLocalStorage<symbol>();

/** The framework's streams end without a word when they fail; the reason comes as an event. */
async function* say(engine: tts.TTS, sentence: string, signal: AbortSignal): AsyncGenerator<AudioFrame> {
  let failure: Error | undefined;
  const own = Symbol('a sentence');
  const note = ({ error }: { error: Error }) => {
    const other = sentences.getStore() ?? own;
    if (other === own) failure = error;
  };
  engine.on('error', note);
  const stream = sentences.run(own, () => engine.stream({ connOptions }));
  const stop = () => stream.close();
  signal.addEventListener('abort', stop, { once: true });
  try {
    stream.pushText(sentence);
    stream.endInput();
    for await (const audio of stream) {
      if (signal.aborted) return;
      if (typeof audio !== 'symbol') yield audio.frame;
    }
    if (failure) throw failure;
  } finally {
    signal.removeEventListener('abort', stop);
    stream.close();
    // A plugin may still have something to say about a stream that was closed.
    setTimeout(() => engine.off('error', note), 2_000).unref();
  }
}
