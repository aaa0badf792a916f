import '../../../services/agent/room/quiet-native-layer.ts';
import { EventEmitter } from 'node:events';
import { VideoSource } from '@livekit/rtc-node';

/**
 * Everything that the room clients of this process are told, whatever topic it is on and whether anybody listens there: the
 * native layer's own events. What is not in here cannot be read by a participant, but for the contents of streams, which
 * are fetched apart; so `streams` has each one that was opened towards us.
 */
export interface Wiretap extends Disposable {
  /** Whether `text` was in anything we were told: names, attributes, metadata, packets, answers to calls. */
  hears(text: string): boolean;
  /** `<kind> <topic> from <identity>` of each stream or packet that came. */
  streams(): string[];
}

interface NativeEvent {
  toBinary(): Uint8Array;
  message: { case?: string; value?: { message?: { case?: string; value?: Incoming } } };
}

interface Incoming {
  reader?: { info?: { topic?: string } };
  value?: { value?: { topic?: string } };
  participantIdentity?: string;
}

const incoming = new Set(['byteStreamOpened', 'textStreamOpened', 'dataPacketReceived']);

export function startWiretap(): Wiretap {
  // The native layer's client is made when it is first used.
  void new VideoSource(16, 16).close();
  const client = (globalThis as { _ffiClientInstance?: unknown })._ffiClientInstance;
  if (!(client instanceof EventEmitter)) throw new Error('the room client has no native events to listen to');
  const heard: Buffer[] = [];
  const streams: string[] = [];
  const listen = (event: NativeEvent) => {
    heard.push(Buffer.from(event.toBinary()));
    const { case: kind = '', value } = event.message.value?.message ?? {};
    if (!incoming.has(kind)) return;
    const topic = value?.reader?.info?.topic ?? value?.value?.value?.topic;
    streams.push(`${kind} ${topic} from ${value?.participantIdentity}`);
  };
  client.on('ffi_event', listen);
  return {
    hears: (text) => Buffer.concat(heard).includes(text),
    streams: () => [...streams],
    [Symbol.dispose]: () => void client.off('ffi_event', listen),
  };
}
