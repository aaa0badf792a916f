import { createRequire } from 'node:module';
import { AudioFrame } from '@livekit/rtc-node';
import { joined, microphoneRate } from '../../support/people/speech-sound.ts';

interface Ffi {
  FfiRequest: new (request: object) => { toBinary(): Uint8Array };
  FfiResponse: new () => { fromBinary(bytes: Uint8Array): { message: { value: Answer } } };
  NewApmRequest: new (parts: object) => object;
  ApmProcessStreamRequest: new (sound: object) => object;
  livekitFfiRequest(request: Uint8Array): Uint8Array;
}

interface Answer {
  apm?: { handle: { id: bigint } };
  error?: string;
}

/** WebRTC's processing takes 10 ms at a time. */
const frameSamples = microphoneRate / 100;

/**
 * The sound as WebRTC's noise suppression and high-pass filter leave it. They are in the native library of rtc-node (0.13.35), which has no
 * class for them in JavaScript: it is asked as its own classes ask it.
 */
export function withoutNoise(sound: Int16Array): Int16Array {
  const ffi = createRequire(import.meta.resolve('@livekit/rtc-node'))('@livekit/rtc-ffi-bindings') as Ffi;
  const ask = (name: string, value: object): Answer => {
    const bytes = ffi.livekitFfiRequest(new ffi.FfiRequest({ message: { case: name, value } }).toBinary());
    const answer = new ffi.FfiResponse().fromBinary(bytes).message.value;
    if (answer.error) throw new Error(answer.error);
    return answer;
  };
  const parts = { echoCancellerEnabled: false, gainControllerEnabled: false };
  const wanted = { ...parts, highPassFilterEnabled: true, noiseSuppressionEnabled: true };
  const apmHandle = ask('newApm', new ffi.NewApmRequest(wanted)).apm?.handle.id;
  const cleaned: Int16Array[] = [];
  for (let at = 0; at + frameSamples <= sound.length; at += frameSamples) {
    const frame = new AudioFrame(sound.slice(at, at + frameSamples), microphoneRate, 1, frameSamples);
    const { dataPtr } = frame.protoInfo();
    const given = { apmHandle, dataPtr, size: frame.data.byteLength, sampleRate: microphoneRate, numChannels: 1 };
    ask('apmProcessStream', new ffi.ApmProcessStreamRequest(given));
    cleaned.push(frame.data);
  }
  return joined(...cleaned);
}
