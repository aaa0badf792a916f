import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { resampled } from '../people/speech-sound.ts';
import type { Address } from './message.ts';
import { fromUlaw, toUlaw } from './ulaw.ts';

const telephoneRate = 8_000;
const packetMs = 20;
const samplesInPacket = (telephoneRate * packetMs) / 1_000;
const keys = '0123456789*#ABCD';
const keyPayload = 101;
const pcmu = 0;
const rtpHeader = 12;
const packetsOfKey = 8;

/** Heard at `at`, on the monotonic clock. */
interface Heard {
  at: number;
  samples: Int16Array;
}

const isVoice = ({ samples }: Heard): boolean => samples.some((one) => Math.abs(one) > 800);

/** The sound of one call, both ways: µ-law every 20 ms, keys as RFC 4733 has them, on loopback. */
export class Media {
  readonly #socket: Socket = createSocket('udp4');
  readonly #heard: Heard[] = [];
  /** Keys that the other side has pressed. */
  readonly keys: string[] = [];
  #remote: Address | undefined;
  #timer: NodeJS.Timeout | undefined;
  #playing: Int16Array = new Int16Array();
  #sequence = 1;
  #timestamp = 0;
  #lastKey = -1;
  #keyPayload = keyPayload;
  readonly #source = Math.floor(Math.random() * 2 ** 31);

  static async open(): Promise<Media> {
    const media = new Media();
    media.#socket.bind(0, '127.0.0.1');
    await once(media.#socket, 'listening');
    media.#socket.on('message', (packet) => media.#receive(packet));
    return media;
  }

  /** What we offer or answer: µ-law and keys. */
  get description(): string {
    const port = this.#socket.address().port;
    return [
      ...['v=0', 'o=- 1 1 IN IP4 127.0.0.1', 's=-', 'c=IN IP4 127.0.0.1', 't=0 0'],
      ...[`m=audio ${port} RTP/AVP ${pcmu} ${keyPayload}`, 'a=rtpmap:0 PCMU/8000'],
      ...[`a=rtpmap:${keyPayload} telephone-event/8000`, `a=fmtp:${keyPayload} 0-16`, 'a=ptime:20', 'a=sendrecv', ''],
    ].join('\r\n');
  }

  /** Sends silence, or what is played, from now on to where the other side's description says. */
  begin(description: string): void {
    const address = /c=IN IP4 (\S+)/.exec(description)?.[1];
    const port = Number(/m=audio (\d+)/.exec(description)?.[1]);
    const payload = /a=rtpmap:(\d+) telephone-event\/8000/.exec(description)?.[1];
    if (address && port) this.#remote = { address, port };
    if (payload) this.#keyPayload = Number(payload);
    const began = performance.now();
    let sent = 0;
    this.#timer ??= setInterval(() => {
      for (; sent * packetMs <= performance.now() - began; sent += 1) this.#sendSound();
    }, packetMs / 2);
  }

  /** Says this (16 kHz) after whatever is being said. Resolves with the time, on the monotonic clock, at which it will have been said. */
  play(sound: Int16Array): number {
    const whole = new Int16Array([...this.#playing, ...resampled(sound, 16_000, telephoneRate)]);
    this.#playing = whole;
    return performance.now() + (whole.length / telephoneRate) * 1_000;
  }

  async press(digits: string): Promise<void> {
    for (const key of digits) await this.#press(keys.indexOf(key));
  }

  /** What was heard between two moments of the monotonic clock, at 16 kHz. */
  heard(since: number, until = performance.now()): Int16Array {
    const parts = this.#heard.filter(({ at }) => at >= since && at <= until).map(({ samples }) => samples);
    return resampled(Int16Array.from(parts.flatMap((part) => [...part])), telephoneRate, 16_000);
  }

  /** When somebody was heard last who is louder than a line's noise; undefined when nobody was. */
  lastVoiceAt(since: number): number | undefined {
    return this.#heard.findLast((heard) => heard.at >= since && isVoice(heard))?.at;
  }

  /** When somebody as loud was first heard. */
  firstVoiceAt(since: number): number | undefined {
    return this.#heard.find((heard) => heard.at >= since && isVoice(heard))?.at;
  }

  close(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    try {
      this.#socket.close();
    } catch {
      // A call may end twice: both sides hang up at once.
    }
  }

  #receive(packet: Buffer): void {
    const payload = (packet[1] ?? 0) & 127;
    if (payload === pcmu && packet.length > rtpHeader)
      this.#heard.push({ at: performance.now(), samples: Int16Array.from(packet.subarray(rtpHeader), fromUlaw) });
    if (payload !== this.#keyPayload) return;
    const timestamp = packet.readUInt32BE(4);
    if (timestamp === this.#lastKey) return;
    this.#lastKey = timestamp;
    this.keys.push(keys[packet[rtpHeader] ?? 0] ?? '?');
  }

  #sendSound(): void {
    const sound = this.#playing.subarray(0, samplesInPacket);
    this.#playing = this.#playing.subarray(samplesInPacket);
    const packet = this.#packet(pcmu, samplesInPacket);
    for (let at = 0; at < samplesInPacket; at += 1) packet[rtpHeader + at] = toUlaw(sound[at] ?? 0);
    this.#timestamp += samplesInPacket;
    this.#send(packet);
  }

  async #press(key: number): Promise<void> {
    const timestamp = this.#timestamp;
    for (let nth = 1; nth <= packetsOfKey; nth += 1) {
      const packet = this.#packet(this.#keyPayload, 4);
      packet.writeUInt32BE(timestamp, 4);
      if (nth === 1) packet[1] = 0x80 | this.#keyPayload;
      packet[rtpHeader] = key;
      // The last three say that the key was let go.
      packet[rtpHeader + 1] = (nth > packetsOfKey - 3 ? 0x80 : 0) | 10;
      packet.writeUInt16BE(samplesInPacket * nth, rtpHeader + 2);
      this.#send(packet);
      await new Promise((resolve) => setTimeout(resolve, packetMs));
    }
  }

  #packet(payload: number, length: number): Buffer {
    const packet = Buffer.alloc(rtpHeader + length);
    packet[0] = 0x80;
    packet[1] = payload;
    packet.writeUInt16BE(this.#sequence & 0xffff, 2);
    packet.writeUInt32BE(this.#timestamp, 4);
    packet.writeUInt32BE(this.#source, 8);
    this.#sequence += 1;
    return packet;
  }

  #send(packet: Buffer): void {
    if (this.#remote) this.#socket.send(packet, this.#remote.port, this.#remote.address);
  }
}
