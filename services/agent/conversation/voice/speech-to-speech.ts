import { llm, voice } from '@livekit/agents';
import { AudioFrame, AudioResampler } from '@livekit/rtc-node';
import { ModelFailure, toModelFailure } from '../../providers/failure.ts';
import type { RealtimeGeneration, RealtimeSession } from '../../providers/realtime/openai.ts';
import { microphoneRate } from '../../room/microphone.ts';
import { speakerRate } from '../../room/speaker.ts';
import type { MindOptions, Thinker, Thought } from '../mind.ts';
import { ModelSound } from './model-sound.ts';
import type { VoiceStream } from './synthesis.ts';

export interface SpeechToSpeechListener {
  onSpeechBegan(): void;
  onSpeechEnded(): void;
  /** What the person said, as far as it is known; `isFinal` when that is all. */
  onTranscript(said: { id: string; text: string; isFinal: boolean }): void;
  /** What was said could not be written down. */
  onNotUnderstood(error: unknown): void;
  /** The connection is lost for good. */
  onLost(error: unknown): void;
}

export type SpeechToSpeechOptions = Omit<MindOptions, 'definition' | 'language' | 'env'>;

/** So long nothing may come of an answer that was asked for. */
const stalledMs = 8_000;
const sayThis = (line: string) => `Say to the person exactly this, word for word, and nothing else: ${line}`;

interface SaidMessage {
  id: string;
  text: string;
  ms: number;
}

/** A model that hears, thinks and speaks in one: one connection to it, as the ear, the mind and the voice of a session. */
export class SpeechToSpeech implements Thinker {
  readonly #session: RealtimeSession;
  readonly #tools: ReadonlyMap<string, llm.FunctionTool>;
  readonly #onWords: (text: string) => void;
  readonly #resampler = new AudioResampler(microphoneRate, speakerRate, 1);
  /** What the model has heard itself. */
  readonly #heard = new Set<string>();
  /** Lines of the service that the model has said itself. */
  readonly #ownLines = new Set<string>();
  readonly #endings = new Map<string, string>();
  /** The sound of the answer that is being given, until somebody listens to it. */
  #sound: ModelSound | undefined;
  #said: SaidMessage[] = [];
  #stop = new AbortController();
  /** The model gives one answer at a time. */
  #last: Promise<unknown> = Promise.resolve();
  /** Rejects when the connection is lost for good. */
  readonly #lost = Promise.withResolvers<never>();
  #tokens = 0;
  #alive: () => void = () => undefined;

  private constructor(session: RealtimeSession, { tools, onWords }: SpeechToSpeechOptions) {
    this.#session = session;
    this.#tools = new Map(tools.map((tool) => [tool.name, tool]));
    this.#onWords = onWords;
  }

  /** @throws ModelFailure when it cannot be reached */
  static async start(
    session: RealtimeSession,
    options: SpeechToSpeechOptions,
    listener: SpeechToSpeechListener,
  ): Promise<SpeechToSpeech> {
    const it = new SpeechToSpeech(session, options);
    it.#lost.promise.catch(() => undefined);
    it.#watch(listener);
    await session.updateInstructions(options.instructions);
    await session.updateTools(new llm.ToolContext(options.tools));
    if (options.history.length > 0) {
      await Promise.race([session.updateChatCtx(new llm.ChatContext(options.history)), it.#lost.promise]);
    }
    return it;
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
    return sound ?? ModelSound.ofLine((line, into) => this.#inTurn(() => this.#sayLine(line, into)));
  }

  answer(text: string | undefined, deadlineMs: number): Promise<Thought> {
    return this.#inTurn(() => this.#answer(text, deadlineMs));
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
    void this.#session.interrupt().catch(() => undefined);
  }

  async close(): Promise<void> {
    this.interrupt();
    this.#resampler.close();
    await this.#session.close();
    // The plugin (1.9.0) notices that it is closed, and closes its connection, with the next thing that it is to send.
    await this.#session.clearAudio();
  }

  #watch(listener: SpeechToSpeechListener): void {
    const session = this.#session;
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
    session.on('openai_server_event_received', ({ type, response, error }) => {
      this.#alive();
      if (type === 'response.done' && response?.id) this.#endings.set(response.id, response.status ?? '');
      if (type === 'conversation.item.input_audio_transcription.failed') listener.onNotUnderstood(error);
    });
    session.on('error', ({ error, recoverable }) => {
      if (recoverable) return;
      this.#lost.reject(error);
      this.#stop.abort(error);
      listener.onLost(error);
    });
  }

  #inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const done = this.#last.then(work);
    this.#last = done.catch(() => undefined);
    return done;
  }

  async #answer(text: string | undefined, deadlineMs: number): Promise<Thought> {
    const before = this.#tokens;
    const stop = new AbortController();
    this.#stop = stop;
    const timer = setTimeout(() => stop.abort(), deadlineMs);
    const sound = new ModelSound();
    this.#sound = sound;
    this.#said = [];
    let failure: ModelFailure | undefined;
    try {
      if (text !== undefined && !this.#heard.delete(text)) {
        await this.#add(llm.ChatMessage.create({ role: 'user', content: text }));
      }
      while (!stop.signal.aborted && (await this.#respond(sound, stop.signal)));
    } catch (error) {
      // A person who speaks over it is no failure; a connection that is lost is.
      if (!isCut(stop.signal)) failure = toModelFailure(error);
    }
    clearTimeout(timer);
    this.#sound = undefined;
    return { failure, interrupted: isCut(stop.signal), tokens: this.#tokens - before };
  }

  /** One response and the tools that it calls. Returns whether the model has to say something to what they gave back. */
  async #respond(sound: ModelSound, signal: AbortSignal): Promise<boolean> {
    const calls = await this.#relay(undefined, signal, sound, (text) => this.#onWords(text));
    const outputs: llm.FunctionCallOutput[] = [];
    let goOn = false;
    for (const call of calls) {
      const { output, isError, silent } = await this.#call(call, signal);
      goOn ||= !silent;
      outputs.push(llm.FunctionCallOutput.create({ callId: call.callId, name: call.name, output, isError }));
    }
    if (outputs.length > 0) await this.#add(...outputs);
    return goOn;
  }

  async #sayLine(line: string, sound: ModelSound): Promise<void> {
    await this.#relay(sayThis(line), new AbortController().signal, sound, () => undefined);
    this.#ownLines.add(line);
  }

  /** Asks for a response and passes it on while it comes. Returns the tools that it calls. */
  async #relay(
    instructions: string | undefined,
    signal: AbortSignal,
    sound: ModelSound,
    onWords: (text: string) => void,
  ): Promise<llm.FunctionCall[]> {
    const broken = Promise.withResolvers<never>();
    broken.promise.catch(() => undefined);
    const stall = () => broken.reject(new ModelFailure({ kind: 'stalled', message: 'the model stopped answering' }));
    let timer = setTimeout(stall, stalledMs);
    this.#alive = () => {
      clearTimeout(timer);
      timer = setTimeout(stall, stalledMs);
    };
    const onAbort = () => broken.reject(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    try {
      signal.throwIfAborted();
      this.#lost.promise.catch(broken.reject);
      const generation = await Promise.race([this.#session.generateReply(instructions, { signal }), broken.promise]);
      return await Promise.race([this.#receive(generation, sound, onWords), broken.promise]);
    } catch (error) {
      void this.#session.interrupt().catch(() => undefined);
      throw error;
    } finally {
      clearTimeout(timer);
      this.#alive = () => undefined;
      signal.removeEventListener('abort', onAbort);
    }
  }

  async #receive(
    { messageStream, functionStream, responseId = '' }: RealtimeGeneration,
    sound: ModelSound,
    onWords: (text: string) => void,
  ): Promise<llm.FunctionCall[]> {
    const calls: llm.FunctionCall[] = [];
    const messages = async () => {
      for await (const { messageId, textStream, audioStream } of messageStream) {
        const said: SaidMessage = { id: messageId, text: '', ms: 0 };
        this.#said.push(said);
        const words = async () => {
          for await (const piece of textStream) {
            const text = typeof piece === 'string' ? piece : piece.text;
            said.text += text;
            onWords(text);
          }
        };
        const sounds = async () => {
          for await (const { data } of audioStream) {
            said.ms += (data.length * 1000) / speakerRate;
            sound.push(data);
          }
        };
        await Promise.all([words(), sounds()]);
      }
    };
    const functions = async () => {
      for await (const call of functionStream) calls.push(call);
    };
    await Promise.all([messages(), functions()]);
    const ending = this.#endings.get(responseId);
    this.#endings.clear();
    // A connection that is lost in the middle ends the streams as if that had been all.
    if (ending === undefined || ending === 'failed') {
      throw new ModelFailure({
        kind: 'incomplete',
        message: `the model's response ended: ${ending ?? 'connection lost'}`,
      });
    }
    return calls;
  }

  async #call(
    { name, args }: llm.FunctionCall,
    abortSignal: AbortSignal,
  ): Promise<{ output: string; isError: boolean; silent?: boolean }> {
    const tool = this.#tools.get(name);
    if (!tool) return { output: `There is no tool "${name}".`, isError: true };
    try {
      const result = await tool.execute(parsed(args) as never, { abortSignal } as never);
      return { output: JSON.stringify(result) ?? '', isError: false };
    } catch (error) {
      if (error instanceof voice.StopResponse) return { output: '', isError: false, silent: true };
      const told = error instanceof llm.ToolError ? error.message : 'An internal error occurred.';
      return { output: told, isError: true };
    }
  }

  async #add(...items: llm.ChatItem[]): Promise<void> {
    const context = this.#session.chatCtx.copy();
    for (const item of items) context.items.push(item);
    await this.#session.updateChatCtx(context);
  }
}

const isCut = ({ aborted, reason }: AbortSignal) => aborted && (reason as Error).name === 'AbortError';

/** What is no JSON is refused by the tool's own check. */
function parsed(args: string): unknown {
  try {
    return JSON.parse(args);
  } catch {
    return undefined;
  }
}
