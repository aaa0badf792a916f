/**
 * OpenAI's realtime protocol, as its service speaks it: voice detection on what it is sent, items, responses with their
 * transcript and sound, function calls, one response at a time, and the ways in which it fails.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { WebSocket } from 'ws';
import {
  goSilent,
  isLoud,
  type Protocol,
  reset,
  type SpeechServer,
  sampleRate,
  soundOf,
  testKey,
} from './speech-server.ts';

export interface RealtimeReply {
  text?: string;
  calls?: { name: string; arguments: Record<string, unknown> }[];
  /** After so many words: nothing more comes on this connection, whatever is asked. */
  stall?: number;
  /** After so many words. */
  drop?: number;
  /** The response fails with an error of this code. */
  fails?: string;
}

/** Reset, or without a sign. */
type Loss = 'reset' | 'silently';

export interface RealtimeItem {
  id: string;
  type: string;
  role?: string;
  content?: { type: string; text?: string; transcript?: string }[];
  name?: string;
  call_id?: string;
  output?: string;
}

export interface RealtimeTest {
  protocol: Protocol;
  /** What is understood, utterance by utterance. */
  hears: string[];
  reply(decide: (asked: { text: string; items: RealtimeItem[] }) => RealtimeReply): void;
  /** That are open. */
  readonly connections: number;
  /** The next connection on which somebody speaks is lost while they do, once the other side knows that they do. */
  losesSpeaker: Loss | undefined;
  /** A code of the service's, such as `insufficient_quota`: new connections are told so and closed, answers fail with it. */
  refuses: string | undefined;
  /** All connections are lost. */
  disconnect(how: Loss): void;
  /** The conversation as the newest connection has it, what it was told, and what was cut. */
  items: RealtimeItem[];
  session: Record<string, unknown>;
  truncated: { item_id: string; audio_end_ms: number }[];
}

const silenceMs = 500;
const lineAsked = /nothing else: (.*)$/s;

export function openaiRealtime(): RealtimeTest {
  let decide: Parameters<RealtimeTest['reply']>[0] = () => ({ text: 'Hello from the model.' });
  const open = new Set<WebSocket>();
  const test: RealtimeTest = {
    hears: [],
    get connections() {
      return open.size;
    },
    losesSpeaker: undefined,
    refuses: undefined,
    disconnect: (how) => {
      for (const socket of open) {
        if (how === 'reset') reset(socket);
        else goSilent(socket);
        // Of a silent one nobody is told when its other side closes it.
        open.delete(socket);
      }
    },
    items: [],
    session: {},
    truncated: [],
    reply: (fn) => {
      decide = fn;
    },
    protocol: {
      accepts: ({ headers }) => headers.authorization === `Bearer ${testKey}`,
      socket: (socket, server) => {
        open.add(socket);
        socket.on('close', () => open.delete(socket));
        new Connection(socket, server, test, (asked) => decide(asked));
      },
    },
  };
  return test;
}

interface ClientEvent {
  type: string;
  event_id?: string;
  session?: Record<string, unknown>;
  item?: RealtimeItem;
  item_id?: string;
  audio_end_ms?: number;
  audio?: string;
  previous_item_id?: string;
  response?: { instructions?: string; metadata?: Record<string, string> };
}

class Connection {
  readonly #socket: WebSocket;
  readonly #server: SpeechServer;
  readonly #test: RealtimeTest;
  readonly #decide: Parameters<RealtimeTest['reply']>[0];
  #speaking = false;
  #knownToSpeak = false;
  #quietMs = 0;
  #active: AbortController | undefined;
  #stalled = false;

  constructor(
    socket: WebSocket,
    server: SpeechServer,
    test: RealtimeTest,
    decide: Parameters<RealtimeTest['reply']>[0],
  ) {
    this.#socket = socket;
    this.#server = server;
    this.#test = test;
    this.#decide = decide;
    test.items = [];
    test.session = {};
    socket.on('message', (data) => this.#on(JSON.parse(String(data)) as ClientEvent));
    socket.on('close', () => this.#active?.abort());
    this.#send({ type: 'session.created', session: { type: 'realtime' } });
    if (test.refuses) {
      this.#send({
        type: 'error',
        error: { type: test.refuses, code: test.refuses, message: 'You exceeded your quota.' },
      });
      socket.close();
    }
  }

  #send(event: Record<string, unknown>): void {
    if (this.#socket.readyState === 1 && !this.#stalled)
      this.#socket.send(JSON.stringify({ event_id: `event_${randomUUID()}`, ...event }));
  }

  #on(event: ClientEvent): void {
    switch (event.type) {
      case 'session.update':
        Object.assign(this.#test.session, event.session);
        return this.#send({ type: 'session.updated', session: this.#test.session });
      case 'input_audio_buffer.append':
        return this.#hear(Buffer.from(event.audio ?? '', 'base64'));
      case 'conversation.item.create':
        if (event.item) this.#addItem(event.item);
        return;
      case 'conversation.item.delete':
        this.#test.items.splice(this.#indexOf(event.item_id), 1);
        return this.#send({ type: 'conversation.item.deleted', item_id: event.item_id });
      case 'conversation.item.truncate':
        this.#test.truncated.push({ item_id: event.item_id ?? '', audio_end_ms: event.audio_end_ms ?? 0 });
        return this.#send({ type: 'conversation.item.truncated', item_id: event.item_id, content_index: 0 });
      case 'response.create':
        return void this.#respond(event);
      case 'response.cancel':
        if (this.#active) this.#active.abort();
        else this.#error('response_cancel_not_active', 'Cancellation failed: no active response found', event);
        return;
      default:
        this.#error('unknown_event', `Unknown event ${event.type}.`, event);
    }
  }

  #indexOf(id: string | undefined): number {
    return this.#test.items.findIndex((item) => item.id === id);
  }

  #error(code: string, message: string, { event_id }: ClientEvent): void {
    this.#send({ type: 'error', error: { type: 'invalid_request_error', code, message, event_id } });
  }

  #addItem(item: RealtimeItem): void {
    const previous = this.#test.items.at(-1)?.id ?? null;
    this.#test.items.push(item);
    this.#send({ type: 'conversation.item.added', previous_item_id: previous, item });
  }

  #hear(sound: Buffer): void {
    if (isLoud(sound)) {
      this.#quietMs = 0;
      if (!this.#speaking) this.#beginToHear();
      if (this.#knownToSpeak && this.#test.losesSpeaker) {
        this.#test.disconnect(this.#test.losesSpeaker);
        this.#test.losesSpeaker = undefined;
      }
    } else this.#quietMs += sound.length / 2 / (sampleRate / 1000);
    if (!this.#speaking || this.#quietMs < silenceMs) return;
    this.#speaking = false;
    this.#knownToSpeak = false;
    const id = `item_${randomUUID()}`;
    this.#send({ type: 'input_audio_buffer.speech_stopped', audio_end_ms: 0, item_id: id });
    this.#send({ type: 'input_audio_buffer.committed', item_id: id });
    const transcript = this.#test.hears.shift() ?? '';
    const content = { type: 'input_audio', transcript };
    this.#addItem({ id, type: 'message', role: 'user', content: [content] });
    this.#send({
      type: 'conversation.item.input_audio_transcription.completed',
      item_id: id,
      content_index: 0,
      transcript,
    });
  }

  #beginToHear(): void {
    this.#speaking = true;
    this.#send({ type: 'input_audio_buffer.speech_started', audio_start_ms: 0, item_id: 'x' });
    this.#socket.once('pong', () => {
      this.#knownToSpeak = this.#speaking;
    });
    this.#socket.ping();
  }

  async #respond(event: ClientEvent): Promise<void> {
    if (this.#active) {
      return this.#error('conversation_already_has_active_response', 'There is an active response.', event);
    }
    const active = new AbortController();
    this.#active = active;
    const id = `resp_${randomUUID()}`;
    const line = lineAsked.exec(event.response?.instructions ?? '')?.[1];
    const reply = line ? { text: line } : this.#decide({ text: this.#lastText(), items: this.#test.items });
    this.#send({
      type: 'response.created',
      response: { id, status: 'in_progress', metadata: event.response?.metadata ?? null },
    });
    const outcome = await this.#play(id, reply, active.signal);
    if (outcome === 'silent') {
      this.#stalled = true;
      return;
    }
    this.#active = undefined;
    const status = active.signal.aborted ? 'cancelled' : outcome;
    const code = reply.fails ?? this.#test.refuses;
    const error = { type: code, code };
    this.#send({
      type: 'response.done',
      response: {
        id,
        status,
        status_details: status === 'failed' ? { type: 'failed', error } : null,
        usage: { total_tokens: 12, input_tokens: 8, output_tokens: 4 },
      },
    });
  }

  /** What the person said last, or a tool gave back. */
  #lastText(): string {
    const last = this.#test.items.findLast(({ role, type }) => role === 'user' || type === 'function_call_output');
    return last?.output ?? last?.content?.map(({ text, transcript }) => text ?? transcript ?? '').join('') ?? '';
  }

  async #play(id: string, reply: RealtimeReply, signal: AbortSignal): Promise<'completed' | 'failed' | 'silent'> {
    if (reply.fails || this.#test.refuses) return 'failed';
    if (reply.text !== undefined && (await this.#say(id, reply, signal)) === 'silent') return 'silent';
    for (const { name, arguments: args } of signal.aborted ? [] : (reply.calls ?? [])) {
      const call = { call_id: `call_${randomUUID().slice(0, 8)}`, name, arguments: JSON.stringify(args) };
      const item = { id: `item_${randomUUID()}`, type: 'function_call', ...call };
      this.#send({ type: 'response.output_item.added', response_id: id, item: { ...item, arguments: '' } });
      this.#addItem(item);
      this.#send({ type: 'response.output_item.done', response_id: id, item });
    }
    return 'completed';
  }

  async #say(
    response_id: string,
    { text = '', stall, drop }: RealtimeReply,
    signal: AbortSignal,
  ): Promise<'said' | 'silent'> {
    const item_id = `item_${randomUUID()}`;
    const at = { response_id, item_id, output_index: 0, content_index: 0 };
    const item = { id: item_id, type: 'message', role: 'assistant', content: [] };
    this.#send({ type: 'response.output_item.added', response_id, item });
    this.#addItem(item);
    this.#send({ type: 'response.content_part.added', ...at, part: { type: 'audio' } });
    for (const [index, word] of (text.match(/\S+\s*/g) ?? []).entries()) {
      if (signal.aborted) break;
      if (index === stall) return 'silent';
      if (index === drop) {
        await delay(20);
        reset(this.#socket);
        return 'silent';
      }
      this.#send({ type: 'response.output_audio_transcript.delta', ...at, delta: word });
      // A fifth of a second for each word.
      const sound = Buffer.concat([soundOf(word), soundOf(word)]);
      this.#send({ type: 'response.output_audio.delta', ...at, delta: sound.toString('base64') });
      await delay(5);
    }
    this.#server.said.push(text);
    this.#send({ type: 'response.output_audio_transcript.done', ...at, transcript: text });
    this.#send({ type: 'response.output_item.done', response_id, item });
    return 'said';
  }
}
