import type { LookupFunction } from 'node:net';
import { APIConnectionError, APIStatusError } from '@livekit/agents';
import { realtime } from '@livekit/agents-plugin-openai';
import { WebSocket } from 'ws';
import { realtimeProviderOf } from '../../../agent-files/definition/model-choice.ts';
import { factsOf, keyName } from '../../../agent-files/definition/provider-facts.ts';
import {
  type ProviderServers,
  reachOf,
  serverProblem,
  serversIn,
} from '../../../agent-files/definition/provider-servers.ts';
import { guardedLookup } from '../../../process/outbound/reach.ts';
import type { ConnectRealtime, RealtimeEvents, RealtimeSession } from '../../models/realtime-session.ts';
import { SpeechNotConfigured } from '../../speech/configuration.ts';

const transcriptionModel = 'gpt-4o-mini-transcribe';
const connectWithinMs = 10_000;
/** A connection without a sign of life for three of these is lost: the system itself would notice after minutes. */
const askForLifeEveryMs = 5_000;
const mostUnanswered = 3;
/** Silence after which the server takes what was said for finished; agents set it for pipelines only. */
const serverSilenceMs = 500;

/** Says how the socket is connected, as the session may connect while it is made. */
class GuardedModel extends realtime.RealtimeModel {
  way: { lookup?: LookupFunction } = {};
}

interface Inside extends RealtimeSession {
  oaiRealtimeModel: GuardedModel;
  _options: { baseURL: string; model: string; apiKey: string };
  emit(name: 'error', event: RealtimeEvents['error'][0]): boolean;
}

/**
 * The plugin's session (1.9.0) but for the way it connects: it does not hear of a refused connection, which would end the
 * whole process, and tells nobody why there is none.
 */
class GuardedSession extends (realtime.RealtimeSession as unknown as new (model: GuardedModel) => Inside) {
  async createWsConn(): Promise<WebSocket> {
    const { baseURL: baseUrl, model, apiKey } = this._options;
    const socket = new WebSocket(realtime.processBaseURL({ baseURL: baseUrl, model, isAzure: false }), {
      headers: { authorization: `Bearer ${apiKey}` },
      handshakeTimeout: connectWithinMs,
      ...this.oaiRealtimeModel.way,
    });
    const opened = Promise.withResolvers<void>();
    socket.once('open', opened.resolve);
    socket.once('unexpected-response', (request, { statusCode = 500 }) => {
      const message = `The realtime server refused the connection with ${statusCode}.`;
      opened.reject(new APIStatusError({ message, options: { statusCode, retryable: false } }));
      request.destroy();
    });
    // Stays: the plugin listens for errors only while it waits for messages.
    socket.on('error', ({ message }) => opened.reject(new APIConnectionError({ message })));
    try {
      await opened.promise;
      watchOver(socket);
      return socket;
    } catch (error) {
      this.emit('error', { error: error as Error, recoverable: false });
      throw error;
    }
  }
}

/** The plugin makes another connection when this one closes. */
function watchOver(socket: WebSocket): void {
  let unanswered = 0;
  const timer = setInterval(() => {
    if (unanswered >= mostUnanswered) return socket.terminate();
    unanswered += 1;
    socket.ping();
  }, askForLifeEveryMs);
  const isAlive = () => {
    unanswered = 0;
  };
  socket.on('pong', isAlive).on('message', isAlive);
  socket.once('close', () => clearInterval(timer));
}

export const connect: ConnectRealtime = (definition, { language, voice }, env) => {
  const { realtime: declared, languages } = definition;
  const provider = realtimeProviderOf(definition);
  const name = keyName(provider, declared ?? {}) ?? 'a key of its own';
  const apiKey = env[name];
  if (!apiKey) throw new SpeechNotConfigured(`The speech-to-speech model needs a key, and ${name} is not set here.`);
  const voices = languages.find(({ code }) => code === language)?.voices ?? [];
  const chosen = voices.find(({ id, default: isDefault }) => (voice === undefined ? isDefault : id === voice));
  const model = new GuardedModel({
    apiKey,
    baseURL: declared?.baseUrl ?? factsOf(provider)?.endpoint ?? '',
    ...(declared?.name && { model: declared.name }),
    ...(chosen && { voice: chosen.model ?? chosen.id }),
    inputAudioTranscription: { model: transcriptionModel, language: language.split('-')[0] ?? language },
    turnDetection: turnDetection(declared?.turnDetection ?? 'server_vad'),
  });
  model.way = wayTo(declared?.baseUrl, serversIn(env));
  return new GuardedSession(model);
};

/** The provider's own address needs no guard. @throws SpeechNotConfigured */
function wayTo(baseUrl: string | undefined, servers: ProviderServers): GuardedModel['way'] {
  if (baseUrl === undefined) return {};
  const problem = serverProblem(baseUrl, servers);
  if (problem !== undefined) throw new SpeechNotConfigured(`The speech-to-speech model cannot be asked. ${problem}`);
  return { lookup: guardedLookup(reachOf(baseUrl, servers)) };
}

const turnDetection = (type: 'server_vad' | 'semantic_vad') => {
  const askedFor = { create_response: false, interrupt_response: false };
  return type === 'server_vad' ? { type, ...askedFor, silence_duration_ms: serverSilenceMs } : { type, ...askedFor };
};
