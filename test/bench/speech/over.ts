import { Mailbox } from '../../../services/agent/conversation/mailbox.ts';
import type { Effect } from '../../../services/agent/conversation/state/effect.ts';
import type { Fact, Playout } from '../../../services/agent/conversation/state/fact.ts';
import { learn } from '../../../services/agent/conversation/state/learn.ts';
import { begin, type ConversationState } from '../../../services/agent/conversation/state/state.ts';
import { endByWords } from '../../../services/agent/conversation/voice/end-by-words.ts';
import { judgeEnd } from '../../../services/agent/conversation/voice/end-of-turn.ts';
import { openRecognition } from '../../../services/agent/conversation/voice/open-recognition.ts';
import type { TurnDetector } from '../../../services/agent/conversation/voice/turn-detector.ts';
import type { Speech } from '../../../services/agent/speech/speech.ts';
import { hearInRealTime, openDetector } from './listener.ts';

/** What a sound did to an agent that was speaking. */
export interface Disturbed {
  /** For how long it fell silent, in all. */
  heldMs: number;
  /** It did not go on. */
  isStopped: boolean;
  text: string;
}

/** It has spoken for a while, and has more to say. */
const playout: Playout = {
  isHeard: true,
  heardForMs: 10_000,
  sentence: 'We are open every day from noon to eleven in the evening.',
  ahead: ' The kitchen closes at ten, and we give the last table at half past nine.',
  language: 'en',
};
/** As in a conversation (executors/speech.ts). */
const holdMs = 750;
const microphone = 'microphone';
const rules = {
  epoch: 1,
  mostTurns: 100,
  mostTokens: 100_000,
  interruption: { enabled: true, minWords: 0 },
  microphone: true,
  isSpeechToSpeech: false,
};

/** Each of these agents speaks while the sound is heard, and decides by what its own recogniser makes of it. */
export async function speakOver(sound: Int16Array, speeches: readonly Speech[]): Promise<Disturbed[]> {
  const agents = speeches.map((speech) => new SpeakingAgent(speech));
  await hearInRealTime(
    sound,
    agents.map(({ detector }) => detector),
  );
  await Promise.all(agents.map(({ detector }) => detector.finish()));
  return agents.map((agent) => agent.close());
}

/** A conversation whose agent says something long: its own rules of who has the floor, without a room. */
class SpeakingAgent {
  readonly detector: TurnDetector;
  readonly #mailbox: Mailbox<ConversationState, Fact, Effect>;
  readonly #timers: NodeJS.Timeout[] = [];
  #heldSince: number | undefined;
  #heldMs = 0;
  #isStopped = false;
  readonly #texts: string[] = [];

  constructor({ stt }: Speech) {
    const used = { turns: 0, tokens: 0 };
    const state = begin({ rules, isGreeted: true, isSpoken: true, isUnjoined: false, used });
    this.#mailbox = new Mailbox(state, learn, (effect) => this.#carryOut(effect));
    const post = (fact: Fact) => this.#mailbox.post(fact);
    const now = () => (this.#isStopped ? undefined : playout);
    this.detector = openDetector({
      openRecognition: (on) => openRecognition(stt, { ...on, onFailure: () => undefined }),
      judgeEnd,
      judgeWords: (text) => endByWords(text, 'en'),
      listener: {
        onSustained: () => post({ kind: 'speech_sustained', microphone, playout: now() }),
        onWords: (words) => post({ kind: 'words_known', microphone, words, playout: now() }),
        onPause: (words) => {
          this.#texts.push(words.text);
          post({ kind: 'speech_paused', microphone, words, playout: now() });
        },
        onResumed: () => post({ kind: 'speech_resumed', microphone }),
        onEnded: ({ segmentId, silentForMs }) =>
          post({ kind: 'speech_ended', utterance: segmentId, silentForMs, playout: now() }),
        onHeard: ({ text, segmentId }) => {
          const words = { text, segmentId };
          const heard = { key: segmentId, text, at: new Date(), mode: 'VOICE' } as const;
          post({ kind: 'speech_heard', microphone, words, text: heard, playout: now() });
        },
      },
    });
  }

  close(): Disturbed {
    this.detector.close();
    for (const timer of this.#timers) clearTimeout(timer);
    this.#release();
    return { heldMs: this.#heldMs, isStopped: this.#isStopped, text: this.#texts.join(' / ') };
  }

  #carryOut(effect: Effect): void {
    switch (effect.kind) {
      case 'hold':
        this.#heldSince ??= performance.now();
        return;
      case 'release':
        return this.#release();
      case 'hurry':
        return this.detector.hurry();
      case 'peek':
        return this.detector.peek();
      case 'dismiss':
        return this.detector.dismiss();
      case 'time_hold': {
        const { hold } = effect;
        const overdue = () => this.#mailbox.post({ kind: 'hold_overdue', hold, playout });
        return void this.#timers.push(setTimeout(overdue, holdMs));
      }
      case 'stop_speaking':
      case 'take_in':
        this.#isStopped = true;
        return;
      default:
        return;
    }
  }

  #release(): void {
    if (this.#heldSince !== undefined) this.#heldMs += performance.now() - this.#heldSince;
    this.#heldSince = undefined;
  }
}
