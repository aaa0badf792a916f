import type { AudioFrame } from '@livekit/rtc-node';

/** A provider's way to say one sentence. What it throws is named by `toSpeechFailure`. */
export interface Voice {
  provider: string;
  model: string;
  sampleRate: number;
  /** Its sound comes over a network: a connection may hang. */
  isAway?: boolean;
  /** The sound as it comes; ends early when `signal` aborts. */
  speak(sentence: string, signal: AbortSignal): AsyncIterable<AudioFrame>;
  close(): Promise<void>;
}
