import { setTimeout as sleepUntil } from 'node:timers/promises';
import { inference } from '@livekit/agents';
import { AudioFrame } from '@livekit/rtc-node';
import { TurnDetector, type TurnDetectorParts } from '../../../services/agent/conversation/voice/turn-detector.ts';
import { microphoneRate } from '../../support/people/speech-sound.ts';

/** As every agent has them that says nothing else (schemas/agent.schema.json). */
const settings = { sustainedMs: 200, pauseMs: 200, hurriedPauseMs: 110, endMs: 400 };
const unfinishedMs = 3_000;
const frameMs = 20;
const frameSamples = (microphoneRate * frameMs) / 1_000;
/** A process that stood still is late, and has to be told from a turn that ends late. */
const mostLateMs = 150;

export type HowToListen = Pick<TurnDetectorParts, 'openRecognition' | 'judgeEnd' | 'judgeWords' | 'listener'>;

let vad: inference.VAD | undefined;

export function openDetector(how: HowToListen): TurnDetector {
  vad ??= new inference.VAD({ maxBufferedSpeech: 100, prefixPaddingDuration: 0 });
  return new TurnDetector({ vad, unfinishedMs, settings, ...how });
}

/**
 * Lets all of them hear this as it is spoken, in real time: recognition has no more time than in a conversation. Ends with the sound, or as
 * soon as `isDone`.
 *
 * @returns by how much a frame was late, at most
 */
export async function hearInRealTime(
  sound: Int16Array,
  detectors: readonly TurnDetector[],
  isDone: (atMs: number) => boolean = () => false,
): Promise<{ lateMs: number; isLate: boolean }> {
  const senders = detectors.map((detector) => {
    const { readable, writable } = new TransformStream<AudioFrame, AudioFrame>(undefined, { highWaterMark: 1_000 });
    return { writer: writable.getWriter(), heard: detector.listen(readable as ReadableStream<AudioFrame>) };
  });
  const began = performance.now();
  let lateMs = 0;
  for (let at = 0; at + frameSamples <= sound.length; at += frameSamples) {
    const due = began + (1_000 * (at + frameSamples)) / microphoneRate;
    const early = due - performance.now();
    if (early > 0) await sleepUntil(early);
    else lateMs = Math.max(lateMs, -early);
    for (const { writer } of senders)
      void writer.write(new AudioFrame(sound.slice(at, at + frameSamples), microphoneRate, 1, frameSamples));
    if (isDone(performance.now() - began)) break;
  }
  await Promise.all(senders.map(({ writer }) => writer.close()));
  await Promise.all(senders.map(({ heard }) => heard));
  return { lateMs, isLate: lateMs > mostLateMs };
}
