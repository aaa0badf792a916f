import type { llm } from '@livekit/agents';
import { bestEffort } from '../../../process/best-effort.ts';
import { unlessAborted } from '../../../process/within.ts';
import { ModelFailure } from '../../models/failure.ts';
import type { RealtimeGeneration, RealtimeServerEvent, RealtimeSession } from '../../models/realtime-session.ts';
import { speakerRate } from '../../room/speaker.ts';
import type { ModelSound } from './model-sound.ts';

/** So long nothing may come of a response that was asked for. */
const stalledMs = 8_000;

/** A message of the model's own, for as much as it has made of it. */
export interface SaidMessage {
  id: string;
  text: string;
  ms: number;
}

export interface ResponseRequest {
  /** Undefined: it answers what was said. */
  instructions?: string;
  signal: AbortSignal;
  sound: ModelSound;
  onWords(text: string): void;
  onMessage(message: SaidMessage): void;
}

/** Responses of a speech-to-speech model, one at a time: asked for, passed on while they come, and given up when nothing comes. */
export class ModelResponses {
  readonly #session: RealtimeSession;
  readonly #onStalled: (failure: ModelFailure) => void;
  /** How those ended that the server has told the end of. */
  readonly #endings = new Map<string, string>();
  /** Rejects when the connection is lost for good. */
  readonly #lost = Promise.withResolvers<never>();
  #alive: () => void = () => undefined;

  constructor(session: RealtimeSession, onStalled: (failure: ModelFailure) => void) {
    this.#session = session;
    this.#onStalled = onStalled;
    void bestEffort('whoever waits for an answer hears of it', this.#lost.promise);
  }

  /** Whatever the server says is a sign of life, and some of it the end of a response. */
  noticed({ type, response }: RealtimeServerEvent): void {
    this.#alive();
    if (type === 'response.done' && response?.id) this.#endings.set(response.id, response.status ?? '');
  }

  connectionLost(error: Error): void {
    this.#lost.reject(error);
  }

  /** What `work` gives, unless the connection is lost before. */
  orLost<Result>(work: Promise<Result>): Promise<Result> {
    return Promise.race([work, this.#lost.promise]);
  }

  /**
   * Asks for a response. Resolves when it is over, with the tools that it calls.
   * @throws ModelFailure, the reason for which `signal` was aborted, or for which the connection is lost
   */
  async request({ instructions, signal, ...into }: ResponseRequest): Promise<llm.FunctionCall[]> {
    // Whatever else is asked on this connection may not be answered either.
    const stalled = () =>
      this.#onStalled(new ModelFailure({ kind: 'stalled', message: 'the model stopped answering' }));
    let timer = setTimeout(stalled, stalledMs);
    this.#alive = () => {
      clearTimeout(timer);
      timer = setTimeout(stalled, stalledMs);
    };
    try {
      signal.throwIfAborted();
      const begun = this.#session.generateReply(instructions, { signal });
      const generation = await this.orLost(unlessAborted(signal, begun));
      return await this.orLost(unlessAborted(signal, this.#receive(generation, into)));
    } catch (error) {
      void bestEffort('a connection that is lost says nothing more anyway', this.#session.interrupt());
      throw error;
    } finally {
      clearTimeout(timer);
      this.#alive = () => undefined;
    }
  }

  async #receive(
    { messageStream, functionStream, responseId = '' }: RealtimeGeneration,
    into: Pick<ResponseRequest, 'sound' | 'onWords' | 'onMessage'>,
  ): Promise<llm.FunctionCall[]> {
    const calls: llm.FunctionCall[] = [];
    const messages = async () => {
      for await (const message of messageStream) await receiveMessage(message, into);
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
}

async function receiveMessage(
  { messageId, textStream, audioStream }: llm.MessageGeneration,
  { sound, onWords, onMessage }: Pick<ResponseRequest, 'sound' | 'onWords' | 'onMessage'>,
): Promise<void> {
  const said: SaidMessage = { id: messageId, text: '', ms: 0 };
  onMessage(said);
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
