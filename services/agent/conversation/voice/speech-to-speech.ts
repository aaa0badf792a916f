import { llm } from '@livekit/agents';
import { AudioFrame, AudioResampler } from '@livekit/rtc-node';
import { bestEffort } from '../../../process/best-effort.ts';
import { type ModelFailure, toModelFailure, turnOverdue } from '../../models/failure.ts';
import type { RealtimeSession } from '../../models/realtime-session.ts';
import { microphoneRate } from '../../room/microphone.ts';
import { speakerRate } from '../../room/speaker.ts';
import type { Answerer, ModelAnswer, ModelSessionOptions } from '../model-session.ts';
import { ModelResponses, type SaidMessage } from './model-responses.ts';
import { ModelSound } from './model-sound.ts';
import { callTool, type ModelTools } from './model-tools.ts';
import type { VoiceStream } from './synthesis.ts';

export interface SpeechToSpeechListener {
  onSpeechBegan(): void;
  onSpeechEnded(): void;
  /** What the person said, as far as it is known; `isFinal` when that is all. */
  onTranscript(said: { id: string; text: string; isFinal: boolean }): void;
  /** What was said could not be written down. */
  onNotUnderstood(error: unknown): void;
  /** There is another connection to the same conversation: what the person was just saying is lost. */
  onReconnected(): void;
  /** The connection is lost for good. */
  onLost(error: unknown): void;
}

export type SpeechToSpeechOptions = Omit<ModelSessionOptions, 'definition' | 'language' | 'env'>;

const sayThis = (line: string) => `Say to the person exactly this, word for word, and nothing else: ${line}`;

/** A model that hears, thinks and speaks in one: one connection to it, as the recognition, the model and the voice of a session. */
export class SpeechToSpeech implements Answerer {
  readonly #session: RealtimeSession;
  readonly #listener: SpeechToSpeechListener;
  readonly #responses: ModelResponses;
  readonly #tools: ModelTools;
  readonly #onWords: (text: string) => void;
  readonly #resampler = new AudioResampler(microphoneRate, speakerRate, 1);
  /** What the model has heard itself. */
  readonly #heard = new Set<string>();
  /** Lines of the service that the model has said itself. */
  readonly #ownLines = new Set<string>();
  /** The sound of the answer that is being given, until somebody listens to it. */
  #sound: ModelSound | undefined;
  /** Of the last answer. */
  #said: SaidMessage[] = [];
  #stop = new AbortController();
  /** The model gives one answer at a time. */
  #last: Promise<unknown> = Promise.resolve();
  #answering = false;
  #tokens = 0;

  private constructor(
    session: RealtimeSession,
    { tools, onWords }: SpeechToSpeechOptions,
    listener: SpeechToSpeechListener,
  ) {
    this.#session = session;
    this.#listener = listener;
    this.#responses = new ModelResponses(session, (failure) => this.#lose(failure));
    this.#tools = new Map(tools.map((tool) => [tool.name, tool]));
    this.#onWords = onWords;
  }

  /** @throws ModelFailure when it cannot be reached */
  static async start(
    session: RealtimeSession,
    options: SpeechToSpeechOptions,
    listener: SpeechToSpeechListener,
  ): Promise<SpeechToSpeech> {
    const it = new SpeechToSpeech(session, options, listener);
    it.#watch();
    try {
      await it.#prepare(options);
      return it;
    } catch (error) {
      void bestEffort('what could not be opened may not be closed either', it.close());
      throw error;
    }
  }

  /** Whether an answer is being given: who waits for it hears of its failure. */
  get isAnswering(): boolean {
    return this.#answering;
  }

  /** Everything that was said, for the connection after this one. */
  get history(): llm.ChatItem[] {
    return [...this.#session.chatCtx.items];
  }

  hear(frame: AudioFrame): void {
    for (const { data } of this.#resampler.push(frame)) {
      this.#session.pushAudio(new AudioFrame(Int16Array.from(data), speakerRate, 1, data.length));
    }
  }

  /** The sound of the answer whose first words were just told; otherwise the model says what it is given. */
  openVoice(): VoiceStream {
    const sound = this.#sound;
    this.#sound = undefined;
    return sound ?? ModelSound.ofLine((line, into) => this.#underLock(() => this.#sayLine(line, into)));
  }

  answer(text: string | undefined, deadlineMs: number): Promise<ModelAnswer> {
    return this.#underLock(() => this.#answer(text, deadlineMs));
  }

  async heardOnly(said: string): Promise<void> {
    let left = said.length;
    for (const { id, text, ms } of this.#said) {
      const heard = Math.min(left, text.length);
      left -= heard;
      if (heard < text.length) await this.#session.truncate({ messageId: id, audioEndMs: (ms * heard) / text.length });
    }
  }

  async remember(content: string): Promise<void> {
    if (!this.#ownLines.delete(content)) await this.#add(llm.ChatMessage.create({ role: 'assistant', content }));
  }

  interrupt(): void {
    this.#stop.abort();
    void bestEffort('a connection that is lost says nothing more anyway', this.#session.interrupt());
  }

  async close(): Promise<void> {
    this.interrupt();
    this.#resampler.close();
    await this.#session.close();
    // The plugin (1.9.0) notices that it is closed, and closes its connection, with the next thing that it is to send.
    await this.#session.clearAudio();
  }

  async #prepare({ instructions, tools, history }: SpeechToSpeechOptions): Promise<void> {
    await this.#session.updateInstructions(instructions());
    await this.#session.updateTools(new llm.ToolContext(tools));
    if (history.length > 0) {
      await this.#responses.orLost(this.#session.updateChatCtx(new llm.ChatContext(history)));
    }
  }

  #watch(): void {
    const session = this.#session;
    const listener = this.#listener;
    session.on('input_speech_started', () => listener.onSpeechBegan());
    session.on('input_speech_stopped', () => listener.onSpeechEnded());
    session.on('input_audio_transcription_completed', ({ itemId, transcript, isFinal }) => {
      const text = transcript.trim();
      if (isFinal && text) this.#heard.add(text);
      listener.onTranscript({ id: itemId, text, isFinal });
    });
    session.on('metrics_collected', ({ totalTokens }) => {
      this.#tokens += totalTokens;
    });
    session.on('openai_server_event_received', (event) => {
      this.#responses.noticed(event);
      if (event.type === 'conversation.item.input_audio_transcription.failed') listener.onNotUnderstood(event.error);
    });
    session.on('session_reconnected', () => listener.onReconnected());
    session.on('error', ({ error, recoverable }) => {
      if (!recoverable) this.#lose(error);
    });
  }

  #lose(error: Error): void {
    this.#responses.connectionLost(error);
    this.#stop.abort(error);
    this.#listener.onLost(error);
  }

  #underLock<Result>(work: () => Promise<Result>): Promise<Result> {
    const done = this.#last.then(work);
    this.#last = bestEffort('who asked for it hears of it; the next begins all the same', done);
    return done;
  }

  async #answer(text: string | undefined, deadlineMs: number): Promise<ModelAnswer> {
    const before = this.#tokens;
    const stop = new AbortController();
    this.#stop = stop;
    const timer = setTimeout(() => stop.abort(turnOverdue(deadlineMs)), deadlineMs);
    const sound = new ModelSound();
    this.#sound = sound;
    this.#said = [];
    this.#answering = true;
    let failure: ModelFailure | undefined;
    try {
      if (text !== undefined && !this.#heard.delete(text)) {
        await this.#add(llm.ChatMessage.create({ role: 'user', content: text }));
      }
      while (!stop.signal.aborted && (await this.#respond(sound, stop.signal)));
      if (!isCut(stop.signal)) stop.signal.throwIfAborted();
    } catch (error) {
      // A person who speaks over it is no failure; a connection that is lost is.
      if (!isCut(stop.signal)) failure = toModelFailure(error);
    }
    clearTimeout(timer);
    this.#answering = false;
    this.#sound = undefined;
    return { failure, interrupted: isCut(stop.signal), tokens: this.#tokens - before };
  }

  /** One response and the tools that it calls. Returns whether the model has to say something to what they gave back. */
  async #respond(sound: ModelSound, signal: AbortSignal): Promise<boolean> {
    const onMessage = (message: SaidMessage) => void this.#said.push(message);
    const calls = await this.#responses.request({ signal, sound, onWords: this.#onWords, onMessage });
    const outputs: llm.FunctionCallOutput[] = [];
    let goOn = false;
    for (const call of calls) {
      const { output, silent } = await callTool(this.#tools, call, signal);
      goOn ||= !silent;
      outputs.push(output);
    }
    if (outputs.length > 0) await this.#add(...outputs);
    return goOn;
  }

  async #sayLine(line: string, sound: ModelSound): Promise<void> {
    const { signal } = new AbortController();
    await this.#responses.request({ instructions: sayThis(line), signal, sound, onWords: ignore, onMessage: ignore });
    this.#ownLines.add(line);
  }

  async #add(...items: llm.ChatItem[]): Promise<void> {
    const context = this.#session.chatCtx.copy();
    for (const item of items) context.items.push(item);
    await this.#session.updateChatCtx(context);
  }
}

const ignore = () => undefined;

const isCut = ({ aborted, reason }: AbortSignal) => aborted && (reason as Error).name === 'AbortError';
