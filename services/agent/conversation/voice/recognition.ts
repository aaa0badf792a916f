import type { AudioFrame } from '@livekit/rtc-node';

export interface RecognitionEvents {
  /** What is known so far of the utterance that is being heard. */
  onWords(text: string): void;
  /** Words of an utterance that was told without them. */
  onLateWords(text: string): void;
  onFailure(error: unknown): void;
}

/** What makes words of one person's speech. */
export interface Recognition {
  /** Everything that is heard, silence too. */
  hear(frame: AudioFrame): void;
  /** An utterance begins. */
  begin(): HeardUtterance;
  close(): void;
}

/** One utterance on its way to words. */
export interface HeardUtterance {
  /** Its words so far, empty when there are none. `sound` is all of it. Never rejects: what fails is told. */
  words(sound: AudioFrame, signal: AbortSignal): Promise<string>;
  /** There is more of it: `soundMs` in all. One that takes whole utterances looks at it now and then, and tells its words by `onWords`. */
  grows(soundMs: number, sound: () => AudioFrame): void;
  /** Tells the words so far by `onWords`, should that not happen by itself. */
  peek(sound: AudioFrame, signal: AbortSignal): void;
  /** Resolves when no more words are to be expected: at once where the recogniser has marked the end. */
  settled(): Promise<void>;
  /** It is told now. Returns all that is known of it; what comes later is late. */
  end(): string;
}
