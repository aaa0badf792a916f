import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';

interface PageSound {
  /** Plays this WAV file (base64) into the microphone; resolves at its end. */
  say(wav: string): Promise<void>;
  /** All that was heard since it was asked last: 16-bit mono samples in base64, at 16 kHz. */
  heard(): string;
}

type WithSound = { pageSound: PageSound };

/**
 * Gives a page a microphone that plays WAV files when it is told to, and keeps what the page is played by others: a person who takes turns.
 * Both go through Chromium's own WebRTC.
 */
export async function giveSound(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const rate = 16_000;
    const context = new AudioContext({ sampleRate: rate });
    const microphone = context.createMediaStreamDestination();
    let kept: number[] = [];
    navigator.mediaDevices.getUserMedia = async () => {
      await context.resume();
      return microphone.stream;
    };
    // One for all tracks, which mixes them; a track is told again when its connection is made anew.
    const listener = context.createScriptProcessor(4096, 1, 1);
    listener.onaudioprocess = ({ inputBuffer }) => void kept.push(...inputBuffer.getChannelData(0));
    listener.connect(context.destination);
    const known = new Set<string>();
    const keep = (track: MediaStreamTrack) => {
      if (known.has(track.id)) return;
      known.add(track.id);
      context.createMediaStreamSource(new MediaStream([track])).connect(listener);
    };
    globalThis.RTCPeerConnection = class extends RTCPeerConnection {
      constructor(configuration?: RTCConfiguration) {
        super(configuration);
        this.addEventListener('track', ({ track }) => track.kind === 'audio' && keep(track));
      }
    };
    const pageSound: PageSound = {
      async say(wav) {
        const bytes = Uint8Array.from(atob(wav), (character) => character.charCodeAt(0));
        const source = context.createBufferSource();
        source.buffer = await context.decodeAudioData(bytes.buffer);
        source.connect(microphone);
        const ended = new Promise<void>((resolve) => {
          source.onended = () => resolve();
        });
        source.start();
        await ended;
      },
      heard() {
        const samples = Int16Array.from(kept, (value) => Math.round(32_767 * Math.max(-1, Math.min(1, value))));
        kept = [];
        const bytes = new Uint8Array(samples.buffer);
        let text = '';
        for (const byte of bytes) text += String.fromCharCode(byte);
        return btoa(text);
      },
    };
    (globalThis as unknown as WithSound).pageSound = pageSound;
  });
}

export async function sayFile(page: Page, file: string): Promise<void> {
  const wav = (await readFile(file)).toString('base64');
  await page.evaluate((given) => (globalThis as unknown as WithSound).pageSound.say(given), wav);
}

/** What the page was played since it was asked last, at the rate of a microphone. */
export async function heardBy(page: Page): Promise<Int16Array> {
  const text = await page.evaluate(() => (globalThis as unknown as WithSound).pageSound.heard());
  const bytes = Buffer.from(text, 'base64');
  return new Int16Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
}
