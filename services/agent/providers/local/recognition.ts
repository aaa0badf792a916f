import { randomUUID } from 'node:crypto';
import { mergeFrames, normalizeLanguage, stt } from '@livekit/agents';
import type { AudioFrame } from '@livekit/rtc-node';
import { type Heard, recogniserSampleRate } from './engine-program.ts';

/** Turns one utterance (16-bit mono samples at 16 kHz) into text; the text is empty when it was none of ours. */
export type HearUtterance = (samples: Int16Array) => Promise<Heard>;

export interface LocalHearing {
  hear: HearUtterance;
  /** Words so far of somebody who still speaks; empty where there is no time for it. Absent: it can't. */
  glimpse?: HearUtterance;
  language: string;
  /** Of the engine, for metrics. */
  model: string;
}

/** An engine of this machine as the framework's speech to text: the turn detector cuts the utterances, the engine names them. */
export class LocalSTT extends stt.STT {
  label = 'parley.LocalSTT';
  readonly #hearing: LocalHearing;

  constructor(hearing: LocalHearing) {
    super({ streaming: false, interimResults: false, alignedTranscript: false });
    this.#hearing = hearing;
  }

  override get model(): string {
    return this.#hearing.model;
  }

  override get provider(): string {
    return 'local';
  }

  /** @throws SpeechFailure */
  protected async _recognize(buffer: AudioFrame | AudioFrame[]): Promise<stt.SpeechEvent> {
    const frame = mergeFrames(buffer);
    if (frame.sampleRate !== recogniserSampleRate) throw new Error(`Speech must come at ${recogniserSampleRate} Hz.`);
    const heard = await this.#hearing.hear(frame.data);
    return transcript(stt.SpeechEventType.FINAL_TRANSCRIPT, heard, this.#hearing.language);
  }

  /** Words so far of an utterance that goes on; empty where there is no time to look, or no way. @throws SpeechFailure */
  async glimpse(sound: AudioFrame): Promise<string> {
    return (await this.#hearing.glimpse?.(sound.data))?.text ?? '';
  }

  stream(): stt.SpeechStream {
    throw new Error('Recognition on this machine takes whole utterances.');
  }
}

const transcript = (type: stt.SpeechEventType, { text, confidence }: Heard, language: string): stt.SpeechEvent => ({
  type,
  requestId: randomUUID(),
  alternatives: [{ text, confidence, language: normalizeLanguage(language), startTime: 0, endTime: 0 }],
});
