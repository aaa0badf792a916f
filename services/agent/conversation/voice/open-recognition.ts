import type { stt } from '@livekit/agents';
import type { Recognition, RecognitionEvents } from './recognition.ts';
import { StreamRecognition } from './stream-recognition.ts';
import { WholeUtterance } from './whole-utterance.ts';

export function openRecognition(recogniser: stt.STT, events: RecognitionEvents): Recognition {
  return recogniser.capabilities.streaming
    ? new StreamRecognition(recogniser, events)
    : { hear: nothing, close: nothing, begin: () => new WholeUtterance(recogniser, events) };
}

const nothing = () => undefined;
