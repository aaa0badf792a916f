import { setTimeout as delay } from 'node:timers/promises';
import type { WebSocket } from 'ws';
import { goSilent, isLoud, reset } from '../providers/speech-server.ts';
import type { Manner } from './deck.ts';

/** One utterance on a connection that speaks Deepgram's `/v1/listen`. */
export class HeardLine {
  readonly words: string;
  readonly #socket: WebSocket;

  constructor(socket: WebSocket, words: string) {
    this.#socket = socket;
    this.words = words;
  }

  get half(): [string, string] {
    const words = this.words.split(' ');
    const at = Math.ceil(words.length / 2);
    return [words.slice(0, at).join(' '), words.slice(at).join(' ')];
  }

  started(): void {
    this.#send({ type: 'SpeechStarted', channel: [0, 1], timestamp: 0.4 });
  }

  interim(transcript: string): void {
    this.#results(transcript, { is_final: false, speech_final: false, from_finalize: false });
  }

  final(transcript: string, flags: { speech_final?: boolean; from_finalize?: boolean } = {}): void {
    this.#results(transcript, { is_final: true, speech_final: true, from_finalize: true, ...flags });
  }

  reset(): void {
    reset(this.#socket);
  }

  goSilent(): void {
    goSilent(this.#socket);
  }

  #results(transcript: string, flags: object): void {
    this.#send({
      ...{
        type: 'Results',
        channel_index: [0, 1],
        duration: 1,
        start: 0,
        metadata: { request_id: 'a-request' },
        ...flags,
      },
      channel: { alternatives: [{ transcript, confidence: transcript ? 0.98 : 0, words: [] }] },
    });
  }

  #send(message: object): void {
    if (this.#socket.readyState === 1) this.#socket.send(JSON.stringify(message));
  }
}

/** `words`: what was said is understood; `nothing`: it was a sound without words. */
export interface RecognitionManner extends Manner {
  readonly outcome: 'words' | 'nothing';
  /** While it is being said. */
  began(line: HeardLine): void;
  /** Its end was asked for (`Finalize`). */
  finalized(line: HeardLine): void | Promise<void>;
}

const github = (thread: string) => `https://github.com/${thread}`;
const firstWord = (line: HeardLine) => line.interim(line.words.split(' ')[0] ?? '');
const started = (line: HeardLine) => line.started();

/** How Deepgram answers an utterance. What is lost with a connection is asked for again on the next, which is as documented. */
export const recognitionManners: readonly [RecognitionManner, ...RecognitionManner[]] = [
  {
    name: 'as documented',
    source: 'https://developers.deepgram.com/docs/finalize',
    outcome: 'words',
    began: firstWord,
    finalized: (line) => line.final(line.words),
  },
  {
    name: 'several finals',
    source: `${github('livekit/agents/pull/5505')}, https://developers.deepgram.com/docs/understand-endpointing-interim-results`,
    outcome: 'words',
    began: firstWord,
    // One right after the other: a gap would stretch on a busy machine. That the service waits for the second is in stream-recognition.test.ts.
    finalized: (line) => {
      line.final(line.half[0], { speech_final: false, from_finalize: false });
      line.final(line.half[1]);
    },
  },
  {
    name: 'a late final',
    source: `${github('pipecat-ai/pipecat/issues/4279')}, ${github('pipecat-ai/pipecat/pull/4732')}`,
    outcome: 'words',
    began: started,
    finalized: async (line) => {
      await delay(350);
      line.final(line.words);
    },
  },
  {
    name: 'an empty final before the words',
    source: `${github('jambonz/jambonz-feature-server/issues/1368')}, ${github('jambonz/jambonz-feature-server/issues/998')}`,
    outcome: 'words',
    began: started,
    finalized: async (line) => {
      line.final('', { from_finalize: false });
      await delay(120);
      line.final(line.words);
    },
  },
  {
    name: 'an empty final after the words',
    source: github('jambonz/jambonz-feature-server/issues/998'),
    outcome: 'words',
    began: firstWord,
    finalized: (line) => {
      line.final(line.words, { from_finalize: false });
      line.final('');
    },
  },
  {
    name: 'an interim that is taken back',
    source: 'https://developers.deepgram.com/docs/understand-endpointing-interim-results',
    outcome: 'words',
    began: (line) => line.interim('something else altogether was heard'),
    finalized: (line) => line.final(line.words),
  },
  {
    name: 'empty interims',
    source: github('pipecat-ai/pipecat/pull/1261'),
    outcome: 'words',
    began: (line) => {
      for (let sent = 0; sent < 5; sent += 1) line.interim('');
    },
    finalized: (line) => line.final(line.words),
  },
  {
    name: 'a sound without words',
    source: 'https://developers.deepgram.com/docs/finalize ("in most cases")',
    outcome: 'nothing',
    began: started,
    finalized: (line) => line.final(''),
  },
  {
    name: 'no final, whatever is asked for',
    source: `${github('deepgram/deepgram-js-sdk/issues/343')}, ${github('livekit/agents/issues/931')}, ${github('pipecat-ai/pipecat/issues/1054')}`,
    outcome: 'words',
    began: (line) => line.interim(line.words),
    finalized: (line) => line.interim(''),
  },
  {
    name: 'speech_final that never comes',
    source: github('deepgram/deepgram-js-sdk/issues/325'),
    outcome: 'words',
    began: firstWord,
    finalized: (line) => line.final(line.words, { speech_final: false }),
  },
  {
    name: 'half-open',
    source: `${github('livekit/agents/issues/7206')}, ${github('livekit/agents/issues/7356')}`,
    outcome: 'words',
    began: (line) => line.goSilent(),
    finalized: () => undefined,
  },
  {
    name: 'a connection that is reset in the middle',
    source: github('deepgram/deepgram-js-sdk/issues/337'),
    outcome: 'words',
    began: (line) => line.reset(),
    finalized: () => undefined,
  },
];

/** Nobody understands a word before it was said: the first ones come after about so long. */
const firstWordsMs = 300;

/** How an utterance is to be taken; `over` is called when its end was asked for. */
export interface Taking {
  manner: RecognitionManner;
  words: string;
  over(): void;
}

/** What a connection does with what it hears: `next` is asked for each utterance. */
export function listen(socket: WebSocket, next: () => Taking): void {
  let heard: { line: HeardLine; taking: Taking } | undefined;
  const began = (it: typeof heard) => {
    if (it && it === heard) it.taking.manner.began(it.line);
  };
  socket.on('message', (data, isBinary) => {
    if (isBinary) {
      if (heard || !isLoud(data as Buffer)) return;
      const taking = next();
      heard = { taking, line: new HeardLine(socket, taking.words) };
      setTimeout(began, firstWordsMs, heard);
      return;
    }
    const { type } = JSON.parse(String(data)) as { type: string };
    if (type === 'CloseStream') socket.close();
    if (type !== 'Finalize' || !heard) return;
    const { taking, line } = heard;
    heard = undefined;
    taking.over();
    void taking.manner.finalized(line);
  });
}
