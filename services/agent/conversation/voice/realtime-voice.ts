import { bestEffort } from '../../../process/best-effort.ts';
import { sleep } from '../../../process/sleep.ts';
import type { Microphone } from '../../room/microphone.ts';
import type { Answerer } from '../model-session.ts';
import { PlayoutQueue } from './playout-queue.ts';
import type { SpeechToSpeech, SpeechToSpeechListener } from './speech-to-speech.ts';
import { SpokenOutput } from './spoken-output.ts';
import type { VoiceParts } from './voice.ts';

const told = 'a connection that cannot be made tells so by itself';
const left = 'a connection may be lost already';

export interface RealtimeVoiceParts extends Omit<VoiceParts, 'openSpeech' | 'filler'> {
  /** A connection to the model; `last` is the one that was lost, whose conversation goes on. */
  connect(listener: SpeechToSpeechListener, last: SpeechToSpeech | undefined): Promise<SpeechToSpeech>;
}

/** What was said is written down within this time, or the agent goes on where it was. */
const transcriptWithinMs = 8_000;
/** A lost connection is made again at once, then after one second, then after two. */
const connectAgainMs = 1_000;

interface UtteranceTimes {
  spokeUntil: number;
  endedAt: number;
}

/** The spoken side of a conversation with a speech-to-speech model, which hears and speaks by itself. */
export class RealtimeVoice {
  readonly playout: PlayoutQueue;
  readonly #parts: RealtimeVoiceParts;
  #connecting: Promise<SpeechToSpeech> | undefined;
  #model: SpeechToSpeech | undefined;
  /** The connection before this one: what was said goes on from it. */
  #last: SpeechToSpeech | undefined;
  /** In a row. */
  #losses = 0;
  /** Failures that were told, once each. */
  readonly #told = new WeakSet<object>();
  #microphone: Microphone | undefined;
  #listened = 0;
  /** On which the agent was silenced: the microphone may be another one when the words are known. */
  readonly #began = new Set<string>();
  #utterance: UtteranceTimes | undefined;
  /** The person speaks, or has spoken and their words are not known yet. */
  #isListening = false;
  #giveUp: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(parts: RealtimeVoiceParts) {
    this.#parts = parts;
    this.playout = new PlayoutQueue({
      speaker: () => parts.room().speaker(),
      // At once where there is a connection: the sound belongs to the words that are being told.
      openVoice: () => {
        const voice = this.#model?.openVoice();
        return voice ? Promise.resolve(voice) : this.#open().then((model) => model.openVoice());
      },
      maySpeak: parts.maySpeak,
      language: parts.language,
      onFailure: (error) => this.#fail('synthesis', error),
    });
  }

  makeOutput(): SpokenOutput {
    return new SpokenOutput(this.playout, this.#parts.captions(), this.#parts.onSpoken);
  }

  /** The model that answers is the one that hears, on whatever connection there is. */
  readonly model: Answerer = {
    answer: async (text, deadlineMs) => (await this.#open()).answer(text, deadlineMs),
    heardOnly: async (said) => this.#model?.heardOnly(said),
    remember: async (content) => (await this.#open()).remember(content),
    interrupt: () => this.#model?.interrupt(),
    close: async () => undefined,
  };

  /** Listens to this microphone from now on, and to no other. */
  async listenTo(microphone: Microphone): Promise<void> {
    this.#microphone = microphone;
    this.#listened += 1;
    const time = this.#listened;
    void microphone.gone.then(() => {
      if (this.#microphone === microphone) this.#microphone = undefined;
      this.#letGo(microphone);
    });
    const frames = await microphone.listen();
    await bestEffort(told, this.#open());
    for await (const frame of frames) {
      // The same microphone may be listened to anew.
      if (this.#microphone !== microphone || time !== this.#listened || this.#closed) return;
      this.#model?.hear(frame);
    }
  }

  /** The model goes on in the language it is told to, with the voice that it has. */
  async reopen(): Promise<void> {}

  /** Nothing more is sent to the model. */
  deafToAll(): void {
    const microphone = this.#microphone;
    this.#microphone = undefined;
    this.#letGo(microphone);
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#giveUp);
    this.playout.stop();
    // One that is still being made is closed as well.
    const newest = await bestEffort(told, this.#connecting);
    const connections = new Set([this.#last, newest]);
    await Promise.all([...connections].map((model) => bestEffort(left, model?.close())));
  }

  #open(): Promise<SpeechToSpeech> {
    this.#connecting ??= this.#connect();
    return this.#connecting;
  }

  async #connect(): Promise<SpeechToSpeech> {
    const waitMs = Math.max(0, this.#losses - 1) * connectAgainMs;
    if (waitMs > 0) await sleep(waitMs);
    if (this.#closed) throw new Error('the conversation is over');
    let isLost = false;
    const onLost = (error: unknown) => {
      if (!isLost) this.#onLost(error);
      isLost = true;
    };
    try {
      const last = this.#last;
      const model = await this.#parts.connect(
        {
          onSpeechBegan: () => this.#onSpeechBegan(),
          onSpeechEnded: () => this.#onSpeechEnded(),
          onTranscript: (said) => this.#onTranscript(said),
          onNotUnderstood: (error) => this.#onNotUnderstood(error),
          onReconnected: () => this.#onReconnected(),
          onLost,
        },
        last,
      );
      if (!isLost) this.#model = model;
      this.#last = model;
      void bestEffort(left, last?.close());
      return model;
    } catch (error) {
      onLost(error);
      throw error;
    }
  }

  /** Nothing is heard any more: another connection takes its place, however often; who counts the failures ends it. */
  #onLost(error: unknown): void {
    const isAnswering = this.#model?.isAnswering ?? false;
    this.#connecting = undefined;
    this.#model = undefined;
    if (this.#closed) return;
    this.#losses += 1;
    this.#heardNothing();
    // Of an answer that fails the person is told already.
    this.#fail(isAnswering ? 'synthesis' : 'recognition', error);
    queueMicrotask(() => {
      if (!this.#closed) void bestEffort(told, this.#open());
    });
  }

  #fail(part: 'recognition' | 'synthesis', error: unknown): void {
    const isNew = !(error instanceof Error) || !this.#told.has(error);
    if (error instanceof Error) this.#told.add(error);
    if (isNew) this.#parts.onFailure(part, error);
  }

  /** What the person was saying is lost with the connection, and its end will not be told. */
  #onReconnected(): void {
    if (this.#isListening) this.#onNotUnderstood(new Error('the connection was lost while the person spoke'));
  }

  /** Nobody waits for the person's words any more. */
  #heardNothing(): void {
    this.#isListening = false;
    clearTimeout(this.#giveUp);
    for (const microphone of this.#began) this.#parts.post({ kind: 'speech_lost', microphone });
    this.#began.clear();
  }

  #letGo(microphone: Microphone | undefined): void {
    this.#parts.post({ kind: 'speech_lost', microphone: trackOf(microphone) });
  }

  #onSpeechBegan(): void {
    this.#isListening = true;
    const microphone = trackOf(this.#microphone);
    this.#began.add(microphone);
    this.#parts.post({ kind: 'speech_sustained', microphone, playout: this.playout.now });
  }

  #onSpeechEnded(): void {
    const now = performance.now();
    this.#utterance = { spokeUntil: now, endedAt: now };
    clearTimeout(this.#giveUp);
    this.#giveUp = setTimeout(() => this.#onNotUnderstood(new Error('no transcript came')), transcriptWithinMs);
  }

  #onNotUnderstood(error: unknown): void {
    if (this.#closed) return;
    this.#heardNothing();
    this.#fail('recognition', error);
  }

  #onTranscript({ id, text, isFinal }: { id: string; text: string; isFinal: boolean }): void {
    const { post, toText } = this.#parts;
    const words = { text, segmentId: `said_${id}` };
    const microphone = trackOf(this.#microphone);
    const playout = this.playout.now;
    if (!isFinal) return post({ kind: 'words_known', microphone, words, playout });
    this.#losses = 0;
    const now = performance.now();
    const { spokeUntil, endedAt } = this.#utterance ?? { spokeUntil: now, endedAt: now };
    const heard = { ...words, voicedMs: 0, spokeUntil, endedAt, knownAt: now };
    post({ kind: 'speech_heard', microphone, words, text: toText(heard), playout });
    this.#heardNothing();
  }
}

/** The model may tell of speech whose microphone is gone. */
const trackOf = (microphone: Microphone | undefined) => microphone?.trackSid ?? '';
