/**
 * What a person does with their voice, as it turns out window by window:
 * - `began`: a sound that is probably speech.
 * - `sustained`: it has lasted long enough to be meant.
 * - `paused`: a short silence; perhaps the end, perhaps a breath.
 * - `resumed`: it was a breath.
 * - `ended`: the person has finished.
 */
export type Change = 'began' | 'sustained' | 'paused' | 'resumed' | 'ended';

export interface VoiceActivitySettings {
  /** Speech of this length is `sustained`. */
  sustainedMs: number;
  /** Silence of this length is a pause. */
  pauseMs: number;
  /** The same while the agent waits in the middle of its words (`hurry`). */
  hurriedPauseMs: number;
  /** Silence of this length is the end. */
  endMs: number;
}

/** How sure voice detection must be that speech begins, and that it goes on (the detector's own defaults). */
const beginsAt = 0.5;
const goesOnAt = 0.35;
/** A click is shorter. */
const beginsAfterMs = 60;

/** Turns the probabilities of voice detection into what they mean. Pure: time is what the windows add up to. */
export class Listening {
  readonly #settings: VoiceActivitySettings;
  #phase: 'quiet' | 'speaking' | 'paused' = 'quiet';
  /** Speech in a row that has not made a change yet. */
  #speechMs = 0;
  #silenceMs = 0;
  #voicedMs = 0;
  #sustained = false;
  #pauseMs: number;
  #patienceMs: number;

  constructor(settings: VoiceActivitySettings) {
    this.#settings = settings;
    this.#pauseMs = settings.pauseMs;
    this.#patienceMs = settings.endMs;
  }

  /** How long the person has spoken in this utterance, pauses left out. */
  get voicedMs(): number {
    return this.#voicedMs;
  }

  /** Silence since the last speech, which ended somewhere in its last window: in the middle of it, on average. */
  get silenceMs(): number {
    return this.#silenceMs;
  }

  get isQuiet(): boolean {
    return this.#phase === 'quiet';
  }

  /** Somebody waits for the next pause of this utterance: it is noticed sooner. */
  hurry(): void {
    this.#pauseMs = Math.min(this.#settings.hurriedPauseMs, this.#settings.pauseMs);
  }

  /** So much silence ends this pause instead of the usual. */
  wait(patienceMs: number): void {
    if (this.#phase === 'paused') this.#patienceMs = Math.max(patienceMs, this.#settings.endMs);
  }

  /** Nothing more is heard: what was begun ends here. */
  finish(): Change[] {
    const open = this.#phase;
    this.#phase = 'quiet';
    this.#sustained = false;
    this.#speechMs = 0;
    if (open === 'quiet') return [];
    return open === 'speaking' ? ['paused', 'ended'] : ['ended'];
  }

  /** One window of sound. */
  window(probability: number, ms: number): Change[] {
    const isSpeech = probability >= (this.#phase === 'speaking' ? goesOnAt : beginsAt);
    return isSpeech ? this.#heardSpeech(ms) : this.#heardSilence(ms);
  }

  #heardSpeech(ms: number): Change[] {
    this.#speechMs += ms;
    if (this.#phase !== 'speaking') return this.#speechMs < beginsAfterMs ? [] : this.#startSpeaking();
    this.#silenceMs = 0;
    this.#voicedMs += ms;
    return this.#sustain();
  }

  #startSpeaking(): Change[] {
    const change = this.#phase === 'paused' ? 'resumed' : 'began';
    if (this.#phase === 'quiet') {
      this.#voicedMs = 0;
      this.#pauseMs = this.#settings.pauseMs;
    }
    this.#phase = 'speaking';
    this.#voicedMs += this.#speechMs;
    this.#silenceMs = 0;
    this.#patienceMs = this.#settings.endMs;
    return [change, ...this.#sustain()];
  }

  #sustain(): Change[] {
    if (this.#sustained || this.#voicedMs < this.#settings.sustainedMs) return [];
    this.#sustained = true;
    return ['sustained'];
  }

  #heardSilence(ms: number): Change[] {
    this.#speechMs = 0;
    if (this.#phase === 'quiet') return [];
    this.#silenceMs = (this.#silenceMs || ms / 2) + ms;
    const changes: Change[] = [];
    if (this.#phase === 'speaking' && this.#silenceMs >= this.#pauseMs) {
      this.#phase = 'paused';
      this.#pauseMs = this.#settings.pauseMs;
      changes.push('paused');
    }
    if (this.#phase === 'paused' && this.#silenceMs >= this.#patienceMs) {
      this.#phase = 'quiet';
      this.#sustained = false;
      changes.push('ended');
    }
    return changes;
  }
}
