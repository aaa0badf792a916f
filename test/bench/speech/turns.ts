import { endByWords } from '../../../services/agent/conversation/voice/end-by-words.ts';
import { judgeEnd } from '../../../services/agent/conversation/voice/end-of-turn.ts';
import { openRecognition } from '../../../services/agent/conversation/voice/open-recognition.ts';
import type { Recognition } from '../../../services/agent/conversation/voice/recognition.ts';
import type { TurnListener } from '../../../services/agent/conversation/voice/turn-detector.ts';
import type { Speech } from '../../../services/agent/speech/speech.ts';
import { joined, microphoneRate, trimmed } from '../../support/people/speech-sound.ts';
import { hearInRealTime, openDetector } from './listener.ts';
import { hiss, type randomFrom, toSamples } from './surroundings.ts';
import type { Parts } from './turn-set.ts';

export interface TurnEnds {
  /** It ended before its last part was said. */
  isEarly: boolean;
  /** From the last sound to the end of the turn with its words known: then it can be answered. */
  afterMs: number;
}

/** The same utterance heard at once by two who have it in real time: by its words and its sound, and by its sound alone. */
export interface Heard {
  byWords: TurnEnds;
  bySound: TurnEnds;
  text: string;
}

export type Voice = (text: string) => Promise<Int16Array>;
type Random = ReturnType<typeof randomFrom>;

const beforeMs = 500;
/** Longer than an unfinished turn is waited for. */
const afterMs = 4_000;

/** What a quiet room sounds like. */
export const quiet = (ms: number, random: Random): Int16Array =>
  toSamples(hiss((ms * microphoneRate) / 1_000, random).map((value) => 0.001 * value));

/** One turn, said by this voice. */
export async function hearTurn(parts: Parts, voice: Voice, { stt }: Speech, random: Random): Promise<Heard> {
  const sounds: Int16Array[] = [];
  for (const part of parts) sounds.push(typeof part === 'string' ? trimmed(await voice(part)) : quiet(part, random));
  const before = quiet(beforeMs, random);
  const lastFrom = msOf(joined(before, ...sounds.slice(0, -1)));
  const spokeUntil = msOf(joined(before, ...sounds));
  const ears = { byWords: new Ears(lastFrom, spokeUntil), bySound: new Ears(lastFrom, spokeUntil) };
  const detectors = [
    openDetector({
      openRecognition: (on) => openRecognition(stt, { ...on, onFailure: nothing }),
      judgeEnd,
      judgeWords: (text) => endByWords(text, 'en'),
      listener: ears.byWords.listener,
    }),
    openDetector({
      openRecognition: () => wordless,
      judgeEnd,
      judgeWords: () => 'unknown',
      listener: ears.bySound.listener,
    }),
  ];
  const isDone = () => ears.byWords.isDone && ears.bySound.isDone;
  const sound = joined(before, ...sounds, quiet(afterMs, random));
  await hearInRealTime(sound, detectors, isDone);
  await Promise.all(detectors.map((detector) => detector.finish()));
  for (const detector of detectors) detector.close();
  const { byWords, bySound } = ears;
  return { byWords: byWords.ends(byWords.knownAt), bySound: bySound.ends(byWords.knownAt), text: byWords.text };
}

const msOf = (sound: Int16Array) => (1_000 * sound.length) / microphoneRate;

const nothing = () => undefined;

/** Hears that somebody speaks, and no words. */
const wordless: Recognition = {
  hear: nothing,
  close: nothing,
  begin: () => ({
    words: async () => '',
    grows: nothing,
    peek: nothing,
    settled: async () => undefined,
    end: () => '',
  }),
};

/** Notes when turns end and words are known, in milliseconds of the sound. */
class Ears {
  readonly #began = performance.now();
  readonly #ends: number[] = [];
  readonly #texts: string[] = [];
  readonly #lastFrom: number;
  readonly #spokeUntil: number;
  /** Of the last pause. */
  knownAt = 0;

  constructor(lastFrom: number, spokeUntil: number) {
    this.#lastFrom = lastFrom;
    this.#spokeUntil = spokeUntil;
  }

  readonly listener: TurnListener = {
    ...{ onSustained: nothing, onWords: nothing, onResumed: nothing },
    onPause: () => {
      this.knownAt = this.#now;
    },
    onEnded: () => void this.#ends.push(this.#now),
    onHeard: ({ text }) => {
      this.#texts.push(text);
      if (this.knownAt < this.#spokeUntil) this.knownAt = this.#now;
    },
  };

  get text(): string {
    return this.#texts.join(' / ');
  }

  get isDone(): boolean {
    return this.#ends.some((at) => at > this.#spokeUntil);
  }

  /** With words that were known then. */
  ends(knownAt: number): TurnEnds {
    const last = this.#ends.find((at) => at > this.#spokeUntil) ?? this.#spokeUntil + afterMs;
    return {
      isEarly: this.#ends.some((at) => at <= this.#lastFrom),
      afterMs: Math.max(last, knownAt) - this.#spokeUntil,
    };
  }

  get #now(): number {
    return performance.now() - this.#began;
  }
}
